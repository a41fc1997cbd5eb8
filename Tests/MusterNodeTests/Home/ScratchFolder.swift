import Foundation
import MusterModel
import MusterTestKit

@testable import MusterNode

/// A test's own folder, deleted when the test ends.
final class ScratchFolder {
  private let folder: TemporaryFolder
  var path: String { folder.url.path }

  init() throws { folder = try TemporaryFolder() }

  /// Returns a home that is not created yet, with its sentinels beside it.
  func home(_ name: String = "home") -> NodeHome {
    NodeHome.locate(
      home: path + "/" + name, keys: nil, environment: ["MUSTER_STATE": path + "/state"])
  }

  func file(_ name: String, _ contents: [UInt8] = [], mode: Int = 0o600) throws -> String {
    let file = path + "/" + name
    try Data(contents).write(to: URL(fileURLWithPath: file))
    try OnDisk.setMode(mode, of: file)
    return file
  }
}

/// A file's attributes, independent of the code under test.
enum OnDisk {
  static func mode(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  static func setMode(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  static func bytes(at path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  static func overwrite(_ path: String, at offset: UInt64, _ bytes: [UInt8]) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  /// Permission checks do not apply to root.
  static let isRoot = geteuid() == 0
}
