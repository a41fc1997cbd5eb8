/// Something that a story needs was not so.
struct Failed: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
