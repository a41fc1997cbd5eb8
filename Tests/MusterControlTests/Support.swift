import Foundation
import Logging
import MusterModel
import MusterNode
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

@testable import MusterControl

/// A node that answers by a function and says what the test tells it to say.
actor ScriptedNode: CommandPerformer {
  private let answer: @Sendable (Command) -> Reply
  private let holdsVerify: Bool
  private(set) var commands: [Command] = []
  private(set) var followedAfter: [Int64?] = []
  private var followers: [Int: AsyncStream<[CrossingSummary]>.Continuation] = [:]
  private var verify: CheckedContinuation<Void, Never>?
  private let steps = AsyncStream.makeStream(of: Void.self)

  init(
    holdsVerify: Bool = false, answer: @escaping @Sendable (Command) -> Reply = { _ in .done }
  ) {
    self.holdsVerify = holdsVerify
    self.answer = answer
  }

  func perform(_ command: Command) async -> Reply {
    commands.append(command)
    if command == .verify, holdsVerify {
      await withCheckedContinuation {
        verify = $0
        steps.continuation.yield()
      }
    }
    return answer(command)
  }

  func crossings(after: Int64?) -> AsyncStream<[CrossingSummary]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [CrossingSummary].self)
    let number = followedAfter.count
    followedAfter.append(after)
    followers[number] = continuation
    continuation.onTermination = { _ in Task { await self.leave(number) } }
    steps.continuation.yield()
    return stream
  }

  func alertChanges(standing: Bool) -> AsyncStream<[AlertChange]> {
    AsyncStream { stream in
      if standing { stream.yield([.raised(Specimens.alert)]) }
      stream.yield([.cleared(Specimens.alert)])
      stream.finish()
    }
  }

  func changes() -> AsyncStream<ChangeCounts> {
    AsyncStream { stream in
      stream.yield(Specimens.counts)
      stream.finish()
    }
  }

  private func leave(_ number: Int) {
    followers[number] = nil
    steps.continuation.yield()
  }

  func tell(_ batch: [CrossingSummary]) {
    for follower in followers.values { follower.yield(batch) }
  }

  func stop() { for follower in followers.values { follower.finish() } }

  func finishVerify() { verify?.resume() }

  func waitForFollower() async { await wait { !self.followers.isEmpty } }
  func waitForNoFollower() async { await wait { self.followers.isEmpty } }
  func waitForVerify() async { await wait { self.verify != nil } }

  private func wait(until isSo: () -> Bool) async {
    var iterator = steps.stream.makeAsyncIterator()
    while !isSo() { await iterator.next(isolation: self) }
  }
}

/// A folder with a short name that goes when the test ends.
final class TemporaryFolder: Sendable {
  let path = "/tmp/muster-\(UInt32.random(in: 0 ... .max))"

  init() {
    mkdir(path, 0o700)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("\(error)") }
  }

  func socketPath() throws -> ControlSocketPath { try ControlSocketPath(path + "/run/muster.sock") }

  func makeRun() throws {
    try FileManager.default.createDirectory(
      atPath: path + "/run", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }
}

enum Stop { case whenBodyEnds, byTest }

func withServer(
  _ node: ScriptedNode, in folder: TemporaryFolder = TemporaryFolder(),
  _ body: @escaping @Sendable (ControlSocketPath) async throws -> Void
) async throws {
  try await withServer(node, in: folder, stop: .whenBodyEnds) { path, _ in try await body(path) }
}

/// Runs a server as a node does, and stops it as a signal would.
func withServer(
  _ node: ScriptedNode, in folder: TemporaryFolder = TemporaryFolder(), stop: Stop,
  _ body:
    @escaping @Sendable (ControlSocketPath, @escaping @Sendable () -> Void) async throws -> Void
) async throws {
  let path = try folder.socketPath()
  let (listening, isListening) = AsyncStream.makeStream(of: Void.self)
  let server = ControlServer(path: path, performer: node, logger: .silent) { isListening.finish() }
  let group = ServiceGroup(services: [server], logger: .silent)
  try await withThrowingTaskGroup { tasks in
    tasks.addTask {
      defer { isListening.finish() }
      try await group.run()
    }
    for await _ in listening {}
    try await body(path) { Task { await group.triggerGracefulShutdown() } }
    if stop == .whenBodyEnds { await group.triggerGracefulShutdown() }
    try await tasks.waitForAll()
  }
  withExtendedLifetime(folder) {}
}

func rawConnection(to path: ControlSocketPath) async throws -> MessageChannel {
  try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    .connect(unixDomainSocketPath: path.description) { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.messages(upTo: ControlLimits.responseBytes)
      }
    }
}

/// Leaves a socket file behind that nobody listens on, as a killed process does.
func abandonSocket(at path: ControlSocketPath) async throws {
  let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    .bind(unixDomainSocketPath: path.description).get()
  // The closing server takes its own name away, and leaves the other.
  let other = path.description + ".other"
  try #require(link(path.description, other) == 0)
  try await channel.close().get()
  try #require(rename(other, path.description) == 0)
  try #require(FileManager.default.fileExists(atPath: path.description))
}

func permissions(_ path: String) throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: path)
  return try #require(attributes[.posixPermissions] as? NSNumber).intValue
}

extension Logger {
  static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
