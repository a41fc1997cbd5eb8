import Foundation
import Testing

@testable import MusterNode

@Suite("Key files")
struct KeyFolderTests {
  @Test func `a key is read back unchanged, from a file that only its owner can access`() throws {
    let scratch = try ScratchFolder()
    let keys = KeyFolder(path: scratch.path + "/keys")

    try keys.create("device.key", [1, 2, 3])
    try keys.create("empty", [])

    #expect(try keys.read("device.key") == [1, 2, 3])
    #expect(try keys.read("empty") == [])
    #expect(try OnDisk.mode(of: keys.path) == 0o700)
    #expect(try OnDisk.mode(of: keys.path + "/device.key") == 0o600)
    #expect(try names(in: keys) == ["device.key", "empty"])
  }

  @Test func `a key is never created over another`() throws {
    let scratch = try ScratchFolder()
    let keys = KeyFolder(path: scratch.path + "/keys")
    try keys.create("device.key", [1, 2, 3])

    let refusal = HomeError.occupied(keys.path + "/device.key")
    #expect(throws: refusal) { try keys.create("device.key", [4]) }

    #expect(refusal.description.contains("already belongs to an operation"))
    #expect(try keys.read("device.key") == [1, 2, 3])
    #expect(try names(in: keys) == ["device.key"])
  }

  @Test func `a dangling link prevents creation too`() throws {
    let scratch = try ScratchFolder()
    let keys = KeyFolder(path: scratch.path)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path + "/device.key", withDestinationPath: scratch.path + "/elsewhere")

    #expect(keys.contains("device.key"))
    #expect(throws: HomeError.occupied(scratch.path + "/device.key")) {
      try keys.create("device.key", [1])
    }
    #expect(!keys.contains("elsewhere"))
  }

  @Test func `a key is replaced atomically, a link by a file`() throws {
    let scratch = try ScratchFolder()
    let keys = KeyFolder(path: scratch.path)
    let victim = try scratch.file("victim", [9])
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path + "/epochs", withDestinationPath: victim)

    try keys.replace("epochs", [1, 2, 3])
    #expect(try keys.read("epochs") == [1, 2, 3])
    try keys.replace("epochs", [4])
    #expect(try keys.read("epochs") == [4])

    #expect(try OnDisk.bytes(at: victim) == [9])
    #expect(try OnDisk.mode(of: scratch.path + "/epochs") == 0o600)
    #expect(try names(in: keys) == ["epochs", "victim"])
  }

  @Test func `a path that cannot be replaced stays, and no temporary file remains`() throws {
    let scratch = try ScratchFolder()
    let keys = KeyFolder(path: scratch.path)
    let inTheWay = scratch.path + "/epochs"
    try FileManager.default.createDirectory(
      atPath: inTheWay, withIntermediateDirectories: false)

    #expect(throws: HomeError.system(.write, path: inTheWay, code: EISDIR)) {
      try keys.replace("epochs", [1])
    }
    #expect(try names(in: keys) == ["epochs"])
  }

  @Test func `a missing key is reported by name`() throws {
    let scratch = try ScratchFolder()
    let keys = KeyFolder(path: scratch.path + "/keys")

    let refusal = HomeError.missing(keys.path + "/device.key")
    #expect(throws: refusal) { try keys.read("device.key") }
    #expect(refusal.description.contains("run `muster init` or `muster join` first"))
    #expect(!FileManager.default.fileExists(atPath: keys.path))
  }

  @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o644, 0o666])
  func `a key that other users could read or change is rejected`(open: Int) throws {
    let scratch = try ScratchFolder()
    let path = try scratch.file("device.key", [1, 2, 3], mode: open)

    let refusal = HomeError.exposed(path, .privateFile)
    #expect(throws: refusal) { try KeyFolder(path: scratch.path).read("device.key") }
    #expect(refusal.description.contains("chmod 600 \(path)"))

    try OnDisk.setMode(0o600, of: path)
    #expect(try KeyFolder(path: scratch.path).read("device.key") == [1, 2, 3])
  }

  @Test func `a key in a folder that other users can access is neither used nor created`() throws {
    let scratch = try ScratchFolder()
    let keys = KeyFolder(path: scratch.path)
    try keys.create("device.key", [1])
    try OnDisk.setMode(0o755, of: scratch.path)

    let refusal = HomeError.exposed(scratch.path, .privateFolder)
    #expect(throws: refusal) { try keys.read("device.key") }
    #expect(throws: refusal) { try keys.create("other.key", [1]) }
    #expect(try names(in: keys) == ["device.key"])
  }

  @Test func `a link, a folder and a pipe are rejected as keys`() throws {
    let scratch = try ScratchFolder()
    let keys = KeyFolder(path: scratch.path)
    let target = try scratch.file("target", [1])
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path + "/link", withDestinationPath: target)
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/folder", withIntermediateDirectories: false)
    #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)

    for name in ["link", "folder", "pipe"] {
      #expect(throws: HomeError.notAFile(scratch.path + "/" + name)) { try keys.read(name) }
    }
  }

  @Test func `a key file may have a mebibyte, and no more`() throws {
    let scratch = try ScratchFolder()
    let keys = KeyFolder(path: scratch.path)
    let largest = [UInt8](repeating: 7, count: KeyFolder.largestFileBytes)

    try keys.create("largest", largest)
    #expect(try keys.read("largest") == largest)

    let path = try scratch.file("larger", largest + [7])
    #expect(throws: HomeError.oversized(path)) { try keys.read("larger") }
    #expect(throws: HomeError.oversized(scratch.path + "/new")) {
      try keys.create("new", largest + [7])
    }
  }

  @Test(.disabled(if: OnDisk.isRoot, "nothing is refused to root"))
  func `a folder that cannot be looked into is not taken for an empty one`() throws {
    let scratch = try ScratchFolder()
    let keys = KeyFolder(path: scratch.path)
    try keys.create("device.key", [1])
    try OnDisk.setMode(0, of: scratch.path)
    defer { chmod(scratch.path, 0o700) }

    #expect(
      throws: HomeError.system(.read, path: scratch.path + "/device.key", code: EACCES)
    ) { try keys.read("device.key") }
  }

  private func names(in keys: KeyFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: keys.path).sorted()
  }
}
