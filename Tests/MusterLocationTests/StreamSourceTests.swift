import Foundation
import Logging
import MusterTestKit
import ServiceLifecycle
import Testing

@testable import MusterLocation

/// Over a named pipe, which ends like a device that is unplugged when its writer closes it.
@Suite(.timeLimit(.minutes(30)))
struct StreamSourceTests {
  private static let logger = Logger(label: "test")

  /// A named pipe. It is open for writing while it is plugged in.
  private final class Pipe {
    private let folder: TemporaryFolder
    private var writer: FileHandle?
    var path: String { folder.url.appending(path: "receiver").path }

    init() throws {
      folder = try TemporaryFolder()
      try #require(mkfifo(path, 0o600) == 0)
    }

    /// Opens it for both, which waits for no reader. Nothing is done while it is plugged in.
    func plugIn(_ text: String) throws {
      guard writer == nil else { return }
      let opened = try #require(FileHandle(forUpdatingAtPath: path))
      try opened.write(contentsOf: Data(text.utf8))
      writer = opened
    }

    func unplug() throws {
      try writer?.close()
      writer = nil
    }
  }

  private static func sentence(_ latitude: Int) throws -> String {
    let body = "GPRMC,092751.000,A,\(latitude)00.0000,N,00730.0000,E,,,280511,,,A"
    let sum = body.utf8.reduce(0, ^)
    return "$\(body)*" + (sum < 16 ? "0" : "") + String(sum, radix: 16) + "\r\n"
  }

  @Test func `sentences go on after a receiver was unplugged and plugged in again`() async throws {
    let pipe = try Pipe()
    let (events, delivery) = AsyncStream.makeStream(of: SourceEvent.self)
    let source = NMEAStreamSource(
      .path(pipe.path), logger: Self.logger, random: { 0 }, deliver: { delivery.yield($0) })
    // Given half a sentence at the end, which must not spoil the first one after it
    try pipe.plugIn(try Self.sentence(46) + "$GPRMC,09")
    let running = Task { try await source.run() }
    defer { running.cancel() }
    var seen: [String] = []
    reading: for await event in events {
      switch event {
      case .reading(.fix(let fix)):
        seen.append("\(fix.position.latitude)")
        if seen.last == "47.0" { break reading }
        try pipe.unplug()
      case .reading: break
      case .state(.waiting): try pipe.plugIn(try Self.sentence(47))
      case .state(let state): seen.append(state.rawValue)
      }
    }
    #expect(seen == ["connected", "46.0", "connected", "47.0"])
  }

  @Test func `lines of a program that was restarted are read, and too long ones are counted`()
    async throws
  {
    let pipe = try Pipe()
    let (events, delivery) = AsyncStream.makeStream(of: LineEvent.self)
    let source = LineSource(
      .path(pipe.path), longest: 8, logger: Self.logger, random: { 0 },
      deliver: { delivery.yield($0) })
    try pipe.plugIn("one\nfar too long\n")
    let running = Task { try await source.run() }
    defer { running.cancel() }
    var lines: [String] = []
    for await event in events {
      if case .lines(let read) = event {
        lines += read.map { $0.map { String(decoding: $0, as: UTF8.self) } ?? "too long" }
      }
      if lines.last == "two" { break }
      if lines.last == "too long", case .lines = event { try pipe.unplug() }
      if event == .state(.waiting) { try pipe.plugIn("two\n") }
    }
    #expect(lines == ["one", "too long", "two"])
  }

  @Test func `a file of lines is read once, to its end`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "lines").path
    try Data("one\ntwo".utf8).write(to: URL(filePath: path))
    let (events, delivery) = AsyncStream.makeStream(of: LineEvent.self)
    let source = LineSource(
      .path(path), longest: 8, logger: Self.logger, random: { 0 }, deliver: { delivery.yield($0) })
    let running = Task { try await source.run() }
    defer { running.cancel() }
    var lines: [[UInt8]?] = []
    for await event in events {
      if case .lines(let read) = event { lines += read }
      if event == .state(.ended) { break }
    }
    #expect(lines == [Array("one".utf8), Array("two".utf8)])
  }
}
