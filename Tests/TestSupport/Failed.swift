/// Something that a story needs was not so.
package struct Failed: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
