/// A failed requirement of a test.
package struct Failed: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
