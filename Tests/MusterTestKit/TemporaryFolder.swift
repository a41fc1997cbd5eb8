package import Foundation

/// A separate folder that is removed after the test.
package final class TemporaryFolder: Sendable {
  package let url: URL

  package init() throws {
    let template = FileManager.default.temporaryDirectory.appendingPathComponent("muster-XXXXXX")
    var path = Array(template.path.utf8CString)
    guard mkdtemp(&path) != nil else { throw CocoaError(.fileWriteUnknown) }
    url = URL(
      fileURLWithPath: String(
        decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self),
      isDirectory: true)
  }

  /// The path of a database with this name.
  package func database(_ name: String = "muster") -> String {
    url.appendingPathComponent("\(name).db").path
  }

  deinit {
    do { try FileManager.default.removeItem(at: url) } catch { print("\(url.path): \(error)") }
  }
}
