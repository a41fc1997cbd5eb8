import Foundation
import Testing

@testable import muster

@Suite struct `A node as a service` {
  @Test func `a notification arrives at the socket, named by its path or its abstract name`()
    throws
  {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "ms-\(UInt32.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
    }
    var addresses = [folder.path + "/notify"]
    #if os(Linux)
      addresses.append("@muster-\(UInt32.random(in: .min ... .max))")
    #endif
    for address in addresses {
      let receiver = try Receiver(address)
      defer { receiver.close() }
      let socket = try #require(NotifySocket(address: address))
      #expect(socket.send("READY=1") == nil)
      #expect(receiver.received() == "READY=1")
    }
    #expect(NotifySocket(address: folder.path + "/nowhere")?.send("READY=1") != nil)
    for nonsense in ["", "relative/path", "/" + String(repeating: "x", count: 200)] {
      #expect(NotifySocket(address: nonsense) == nil)
    }
  }

  @Test func `the watchdog interval applies to the process that it names`() {
    func watchdog(_ environment: [String: String]) -> Duration? {
      SystemdNotifier.watchdog(environment, process: 7)
    }
    #expect(watchdog(["WATCHDOG_USEC": "30000000"]) == .seconds(30))
    #expect(watchdog(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"]) == .seconds(30))
    #expect(watchdog(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"]) == nil)
    for nonsense in ["0", "-1", "soon", ""] {
      #expect(watchdog(["WATCHDOG_USEC": nonsense]) == nil)
    }
    #expect(watchdog([:]) == nil)
  }

  @Test func `the file of fingerprints begins with the one for uplinks alone`() {
    let (uplinks, browsers) = ("AA:01", "BB:02")
    for (contents, text) in [
      (.init(uplinks: uplinks, browsers: browsers), "AA:01\nbrowsers BB:02\n"),
      (.init(uplinks: uplinks), "AA:01\n"), (.init(browsers: browsers), "browsers BB:02\n"),
    ] as [(FingerprintFile.Contents, String)] {
      #expect(contents.text == text)
      #expect(FingerprintFile.Contents(text: text) == contents)
    }
  }

  @Test func `a file system without locks or owners is reported`() {
    let mounts = [
      ["/dev/sda1", "/", "ext4"], ["proc", "/proc", "proc"], ["stick", "/media/stick", "vfat"],
      ["box:/home", "/home", "nfs4"], ["/dev/sdb1", "/home/anna", "btrfs"], ["broken"],
    ].map { $0.map { Substring($0) } }
    #expect(HomeCheck.unfit("/var/lib/muster", mounts: mounts) == nil)
    #expect(HomeCheck.unfit("/home/anna/x", mounts: mounts) == nil)
    #expect(HomeCheck.unfit("/home/ben", mounts: mounts) == "a network disk")
    #expect(HomeCheck.unfit("/media/stick", mounts: mounts)?.contains("owners") == true)
    #expect(HomeCheck.unfit("/media/sticky", mounts: mounts) == nil)
  }
}

/// A socket that receives datagrams.
private struct Receiver {
  private let descriptor: Int32

  init(_ address: String) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(address.utf8)
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(2 + bytes.count)
    let bound = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    try #require(bound == 0)
  }

  func received() -> String {
    var bytes = [UInt8](repeating: 0, count: 256)
    // It was sent before: what has not arrived never will.
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  func close() { Foundation.close(descriptor) }
}
