import Foundation

/// A table that a document contains, between two comments, and that the code states too.
package struct DocumentTable {
  private let document: URL
  private let name: String

  /// - Parameters:
  ///   - name: that of the comments `<!-- name: begin -->` and `<!-- name: end -->`.
  ///   - document: a file in `docs`.
  package init(_ name: String, in document: String) {
    self.name = name
    self.document = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "docs").appending(path: document)
  }

  /// Returns whether the document has this table. With `MUSTER_WRITE_TABLES` in the environment it
  /// has it afterwards.
  package func matches(_ table: String) throws -> Bool {
    var text = try String(contentsOf: document, encoding: .utf8)
    guard let begin = text.range(of: "<!-- \(name): begin -->\n"),
      let end = text.range(of: "<!-- \(name): end -->")
    else { throw Failed("\(document.lastPathComponent) has no table \(name)") }
    let place = begin.upperBound..<end.lowerBound
    guard text[place] != table else { return true }
    guard ProcessInfo.processInfo.environment["MUSTER_WRITE_TABLES"] != nil else { return false }
    text.replaceSubrange(place, with: table)
    try text.write(to: document, atomically: true, encoding: .utf8)
    return true
  }
}
