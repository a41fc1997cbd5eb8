internal import Foundation

/// A small file of the home that only this user can read.
struct PrivateFile: Sendable {
  private let url: URL

  var path: String { url.path }

  init(in folder: String, name: String) { url = URL(filePath: folder).appending(path: name) }

  /// Returns the contents; nil without a file.
  func read() throws -> Data? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    return try Data(contentsOf: url)
  }

  /// Written to a temporary file first, so that it is always complete.
  func write(_ data: Data) throws(PrivateFileFault) {
    let new = url.appendingPathExtension("new")
    guard
      FileManager.default.createFile(
        atPath: new.path, contents: data, attributes: [.posixPermissions: 0o600])
    else { throw PrivateFileFault("\(new.path) cannot be written") }
    guard rename(new.path, url.path) == 0 else {
      throw PrivateFileFault(
        "\(url.path) cannot be replaced: \(String(cString: strerror(errno)))")
    }
  }
}

/// Why a file could not be read or changed, in one line.
public struct PrivateFileFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line for the user.
  public let description: String

  init(_ description: String) { self.description = description }
}
