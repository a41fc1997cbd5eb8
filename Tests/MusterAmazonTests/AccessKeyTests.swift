import Foundation
import MusterModel
import MusterNode
import Testing

@testable import MusterAmazon

/// The file of access keys.
@Suite struct `Access keys` {
  private static func inFolder(_ story: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "mk\(UInt32.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { print("\(error)") }
    }
    try story(folder.path)
  }

  private static func key(_ rights: AccessKey.Rights) throws -> AccessKey {
    let user = try #require(UserID(hex: String(repeating: "0a", count: 16)))
    return AccessKey(
      rights: rights, user: user, revokedDevices: 2, now: Timestamp(milliseconds: 1000))
  }

  @Test func `a key is kept in a private file until it is revoked`() throws {
    try Self.inFolder { folder in
      let file = AccessKeyFile(in: folder)
      #expect(try file.read().isEmpty)
      let (first, second) = (try Self.key(.command), try Self.key(.observer))
      try file.add(first)
      try file.add(second)
      #expect(Set(try file.read()) == [first, second])
      let mode = try FileManager.default.attributesOfItem(atPath: folder + "/access-keys.json")
      #expect(mode[.posixPermissions] as? Int == 0o600)
      try file.revoke(first.id)
      #expect(try file.read() == [second])
      #expect(throws: PrivateFileFault.self) { try file.revoke(first.id) }
    }
  }

  @Test func `concurrent changes are all kept`() throws {
    try Self.inFolder { folder in
      let revoked = try (0..<16).map { _ in try Self.key(.member) }
      let added = try (0..<16).map { _ in try Self.key(.member) }
      for key in revoked { try AccessKeyFile(in: folder).add(key) }
      DispatchQueue.concurrentPerform(iterations: 32) { index in
        let file = AccessKeyFile(in: folder)
        do {
          if index < 16 {
            try file.add(added[index])
          } else {
            try file.revoke(revoked[index - 16].id)
          }
        } catch {
          Issue.record(error)
        }
      }
      #expect(Set(try AccessKeyFile(in: folder).read()) == Set(added))
    }
  }

  @Test func `what an interrupted write left is replaced, and a link is not followed`() throws {
    try Self.inFolder { folder in
      let other = folder + "/other"
      try Data("other".utf8).write(to: URL(filePath: other))
      let new = folder + "/access-keys.json.new"
      try FileManager.default.createSymbolicLink(atPath: new, withDestinationPath: other)
      try AccessKeyFile(in: folder).add(try Self.key(.member))
      #expect(try Data(contentsOf: URL(filePath: other)) == Data("other".utf8))
      #expect(try AccessKeyFile(in: folder).read().count == 1)
    }
  }

  @Test func `a damaged file is named`() throws {
    try Self.inFolder { folder in
      try Data("[{}]".utf8).write(to: URL(filePath: folder + "/access-keys.json"))
      #expect(throws: PrivateFileFault.self) { try AccessKeyFile(in: folder).read() }
    }
  }

  @Test func `a key prints its id alone, and is not guessable`() throws {
    let (first, second) = (try Self.key(.member), try Self.key(.member))
    #expect(first.id.count == 20 && first.secret.count == 40)
    #expect(first.id != second.id && first.secret != second.secret)
    var dumped = ""
    dump(first, to: &dumped)
    #expect(!dumped.contains(first.secret) && !"\(first)".contains(first.secret))
  }

  @Test func `rights are ordered`() {
    #expect(AccessKey.Rights.observer < .member && AccessKey.Rights.member < .command)
    #expect(min(AccessKey.Rights.command, .member) == .member)
  }
}
