/// Why the demo ends with 1, in words for the one who ran it.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
