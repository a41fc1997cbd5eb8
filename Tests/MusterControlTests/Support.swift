import Foundation
import Logging
import MusterModel
import MusterNode
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

@testable import MusterControl
@testable import MusterHTTP

/// A node that answers with a function and sends the events that the test gives it.
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

  func standingAlerts() -> AsyncStream<[Alert]> {
    AsyncStream { stream in
      stream.yield([Specimens.alert])
      stream.yield([])
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

  func send(_ batch: [CrossingSummary]) {
    for follower in followers.values { follower.yield(batch) }
  }

  func stop() { for follower in followers.values { follower.finish() } }

  func finishVerify() { verify?.resume() }

  func waitForFollower() async { await wait { !self.followers.isEmpty } }
  func waitForNoFollower() async { await wait { self.followers.isEmpty } }
  func waitForVerify() async { await wait { self.verify != nil } }

  /// Also returns when the test is cancelled, since no event arrives any more.
  private func wait(until isSo: () -> Bool) async {
    var iterator = steps.stream.makeAsyncIterator()
    while !isSo() {
      guard await iterator.next(isolation: self) != nil else { return }
    }
  }
}

/// A folder with a short name that is deleted when the test ends.
final class TemporaryFolder: Sendable {
  let path = "/tmp/muster-\(UInt32.random(in: 0 ... .max))"

  init() {
    mkdir(path, 0o700)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("\(error)") }
  }

  func socketPath() throws -> ControlSocketPath { try ControlSocketPath(path + "/run/muster.sock") }

  /// Returns a founder's real node without a transport.
  func node() async throws -> Node {
    let home = NodeHome.locate(
      home: path + "/home", keys: nil, environment: ["MUSTER_STATE": path + "/state"])
    if !home.exists {
      _ = try Founding.found(
        operation: "Ridge", callsign: "Anna", home: home, passphrase: nil)
    }
    return Node(try OpenedHome(home) { [] }, transport: nil, logger: .silent)
  }

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

/// Runs a node's server as the program does, with a scripted node behind the control socket only,
/// and stops it as a signal would.
func withServer(
  _ node: ScriptedNode, in folder: TemporaryFolder = TemporaryFolder(), stop: Stop,
  _ body:
    @escaping @Sendable (ControlSocketPath, @escaping @Sendable () -> Void) async throws -> Void
) async throws {
  let path = try folder.socketPath()
  let (listening, isListening) = AsyncStream.makeStream(of: Void.self)
  let real = try await folder.node()
  let programs = Programs(node: real, logger: .silent)
  let server = WebServer(
    at: .socket(path), node: real, performer: node, programs: programs, logger: .silent
  ) { _ in isListening.finish() }
  let group = ServiceGroup(services: [programs, server], logger: .silent)
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
  await real.stop()
  withExtendedLifetime(folder) {}
}

/// A server that a test expects not to come up.
func runServer(at path: ControlSocketPath, in folder: TemporaryFolder) async throws {
  let real = try await folder.node()
  let server = WebServer(
    at: .socket(path), node: real, programs: Programs(node: real, logger: .silent),
    logger: .silent)
  let outcome: Result<Void, any Error>
  do {
    outcome = .success(try await server.run())
  } catch {
    outcome = .failure(error)
  }
  await real.stop()
  try outcome.get()
}

/// Sends these bytes to a socket, and returns the response until the connection closes.
func exchange(_ request: String, with path: ControlSocketPath) async throws -> String {
  let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    .connect(unixDomainSocketPath: path.description) { channel in
      channel.eventLoop.makeCompletedFuture {
        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
      }
    }
  return try await channel.executeThenClose { inbound, outbound in
    try await outbound.write(ByteBuffer(string: request))
    var answer = ""
    for try await piece in inbound { answer += String(buffer: piece) }
    return answer
  }
}

/// Leaves a socket file that no process listens on, as a killed process does.
func abandonSocket(at path: ControlSocketPath) throws {
  // It never listens: a child that another test starts meanwhile may hold the descriptor a moment
  // longer, and would accept connections.
  #if os(Linux)
    let kind = Int32(SOCK_STREAM.rawValue)
  #else
    let kind = SOCK_STREAM
  #endif
  let descriptor = socket(AF_UNIX, kind, 0)
  try #require(descriptor >= 0)
  defer { close(descriptor) }
  let bound = try SocketAddress(unixDomainSocketPath: path.description).withSockAddr {
    bind(descriptor, $0, socklen_t($1))
  }
  try #require(bound == 0)
}

func permissions(_ path: String) throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: path)
  return try #require(attributes[.posixPermissions] as? NSNumber).intValue
}

extension Logger {
  static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

/// Listens on a socket without being a node, and sends the same response to every request.
func withImpostor(
  at path: ControlSocketPath, saying answer: String, _ body: () async throws -> Void
) async throws {
  let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    .childChannelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(Parrot(answer))
      }
    }
    .bind(unixDomainSocketPath: path.description).get()
  try await body()
  try await channel.close().get()
}

private final class Parrot: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  private let answer: String

  init(_ answer: String) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
    context.close(promise: nil)
  }
}
