import Foundation

/// A folder of its own that is gone after the test.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    let template = FileManager.default.temporaryDirectory.appendingPathComponent("muster-XXXXXX")
    var path = Array(template.path.utf8CString)
    guard mkdtemp(&path) != nil else { throw CocoaError(.fileWriteUnknown) }
    url = URL(
      fileURLWithPath: String(
        decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self),
      isDirectory: true)
  }

  func database(_ name: String) -> String { url.appendingPathComponent("\(name).db").path }

  deinit { try? FileManager.default.removeItem(at: url) }
}
