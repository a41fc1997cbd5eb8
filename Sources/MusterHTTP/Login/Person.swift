internal import MusterModel

/// Somebody who has logged in.
struct Person: Sendable {
  let name: String
  /// The person that the login is bound to: whatever is said by it stands for them.
  let user: UserID?
  /// Whether they are still let in. What is answered without an end MUST ask from time to time.
  let stays: @Sendable () -> Bool
}
