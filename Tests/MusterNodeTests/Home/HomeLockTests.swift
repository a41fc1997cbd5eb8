import Foundation
import Testing

@testable import MusterNode

@Suite("One node per home")
struct HomeLockTests {
  @Test func `a second node is rejected with the process id of the first`() throws {
    let scratch = try ScratchFolder()
    let home = scratch.home()
    let first = try HomeLock(home)

    let refusal = HomeError.inUse(home: home.path, pid: getpid())
    #expect(throws: refusal) { try HomeLock(home) }
    // The rejection leaves the lock with its holder.
    #expect(throws: refusal) { try HomeLock(home) }
    #expect(
      refusal.description
        == "another muster (pid \(getpid())) is using \(home.path): "
        + "stop it, or choose another --home"
    )
    withExtendedLifetime(first) {}
  }

  @Test func `another home is not locked`() throws {
    let scratch = try ScratchFolder()
    let first = try HomeLock(scratch.home("a"))
    let second = try HomeLock(scratch.home("b"))
    withExtendedLifetime((first, second)) {}
  }

  @Test func `a released lock can be acquired`() throws {
    let scratch = try ScratchFolder()
    let home = scratch.home()
    var lock: HomeLock? = try HomeLock(home)
    #expect(try OnDisk.bytes(at: home.runDirectory + "/lock") == Array("\(getpid())\n".utf8))
    #expect(try OnDisk.mode(of: home.runDirectory + "/lock") == 0o600)
    withExtendedLifetime(lock) {}

    lock = nil

    #expect(try OnDisk.bytes(at: home.runDirectory + "/lock").isEmpty)
    lock = try HomeLock(home)
    withExtendedLifetime(lock) {}
  }

  @Test func `the files of a killed node do not prevent a start`() throws {
    let scratch = try ScratchFolder()
    let home = scratch.home()
    try home.create()
    _ = try scratch.file("home/run/lock", Array("4194304 and more than a number\n".utf8))

    let lock = try HomeLock(home)

    #expect(try OnDisk.bytes(at: home.runDirectory + "/lock") == Array("\(getpid())\n".utf8))
    withExtendedLifetime(lock) {}
  }

  @Test func `a link at the lock's path is rejected`() throws {
    let scratch = try ScratchFolder()
    let home = scratch.home()
    try home.create()
    let victim = try scratch.file("victim", [1, 2, 3])
    let path = home.runDirectory + "/lock"
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)

    #expect(throws: HomeError.notAFile(path)) { try HomeLock(home) }
    #expect(try OnDisk.bytes(at: victim) == [1, 2, 3])
  }

  @Test func `no copy of its descriptor keeps a released lock`() throws {
    // Given the copy that a child process has until its exec
    let scratch = try ScratchFolder()
    let home = scratch.home()
    var lock: HomeLock? = try HomeLock(home)
    let copy = try dup(#require(descriptors(of: home.runDirectory + "/lock").first))
    defer { close(copy) }
    withExtendedLifetime(lock) {}

    lock = nil

    lock = try HomeLock(home)
    withExtendedLifetime(lock) {}
  }

  @Test func `no child process inherits the lock`() throws {
    let scratch = try ScratchFolder()
    let home = scratch.home()
    let lock = try HomeLock(home)

    let descriptors = try descriptors(of: home.runDirectory + "/lock")

    #expect(descriptors.count == 1)
    for descriptor in descriptors { #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0) }
    withExtendedLifetime(lock) {}
  }

  /// Returns this process's open descriptors of a file.
  private func descriptors(of path: String) throws -> [Int32] {
    let file = try DatabaseIdentity.of(path: path)
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    return open.compactMap { Int32($0) }.filter { descriptor in
      var status = stat()
      return fstat(descriptor, &status) == 0
        && UInt64(truncatingIfNeeded: status.st_ino) == file.fileNumber
        && UInt64(truncatingIfNeeded: status.st_dev) == file.fileSystem
    }
  }

  private static let flock = "/usr/bin/flock"
  private static let hasFlock = FileManager.default.isExecutableFile(atPath: flock)

  @Test(.enabled(if: hasFlock, "needs util-linux"))
  func `another process is rejected while the lock is held, and not after`() throws {
    let scratch = try ScratchFolder()
    let home = scratch.home()
    func exitCodeOfAnother() throws -> Int32 {
      let other = Process()
      other.executableURL = URL(fileURLWithPath: Self.flock)
      other.arguments = ["--nonblock", home.runDirectory + "/lock", "true"]
      try other.run()
      other.waitUntilExit()
      return other.terminationStatus
    }
    var lock: HomeLock? = try HomeLock(home)

    #expect(try exitCodeOfAnother() == 1)
    withExtendedLifetime(lock) {}

    lock = nil
    #expect(try exitCodeOfAnother() == 0)
  }

  @Test(.enabled(if: hasFlock, "needs util-linux"))
  func `another process keeps the lock until it ends in any way`() throws {
    let scratch = try ScratchFolder()
    let home = scratch.home()
    try home.create()
    // Given another process that has confirmed that it holds the lock
    let other = Process()
    let (input, output) = (Pipe(), Pipe())
    other.executableURL = URL(fileURLWithPath: Self.flock)
    other.arguments = [
      "--nonblock", "--no-fork", home.runDirectory + "/lock", "sh", "-c", "echo held; exec cat",
    ]
    other.standardInput = input
    other.standardOutput = output
    try other.run()
    let word = try output.fileHandleForReading.read(upToCount: 5)
    try #require(word == Data("held\n".utf8))

    #expect(throws: HomeError.inUse(home: home.path, pid: nil)) { try HomeLock(home) }

    #expect(kill(other.processIdentifier, SIGKILL) == 0)
    other.waitUntilExit()
    let lock = try HomeLock(home)
    withExtendedLifetime(lock) {}
  }
}
