/// Somebody who has logged in.
struct Person: Sendable {
  let name: String
  /// Whether they are still let in. What is answered without an end MUST ask from time to time.
  let stays: @Sendable () -> Bool
}
