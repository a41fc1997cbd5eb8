import Foundation
import MusterModel
import Synchronization

@testable import MusterNode

/// A folder of one test's own, gone with the test.
final class ScratchFolder {
  let path: String
  private static let made = Atomic<Int>(0)

  init() throws {
    let number = Self.made.wrappingAdd(1, ordering: .relaxed).newValue
    // Short, since macOS has long temporary folders and short socket paths.
    let name = "muster-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
    path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("could not remove \(path): \(error)")
    }
  }

  /// A home that was not created yet, with its sentinels beside it.
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

/// What a file is, seen from outside the code under test.
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

  /// Root may do everything, so that nothing is refused to it.
  static let isRoot = geteuid() == 0
}
