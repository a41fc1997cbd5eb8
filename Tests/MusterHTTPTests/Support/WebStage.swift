import Foundation
import Logging
import MusterInterchange
import MusterModel
import MusterNode
import class MusterTestKit.ConcurrencyLimit
import class MusterTestKit.TemporaryFolder
import ServiceLifecycle

@testable import MusterHTTP
@testable import MusterTransport

/// A real node behind a real server on a loopback address, for one test.
struct WebStage: Sendable {
  let node: Node
  let port: Int
  let store: WebhookStore
  /// The folder of the webhooks and the logins.
  let folder: String

  var client: WebClient { WebClient(port: port) }

  /// - Parameters:
  ///   - role: the role of the node's own device.
  ///   - maps: the maps of the server.
  static func run(
    access: AccessRule.Access = .trusted, whenTaken: WebServer.WhenTaken = .fail, port: Int = 0,
    role: Role = .command, maps: MapCollection = MapCollection(),
    _ story: @escaping @Sendable (WebStage) async throws -> Void
  ) async throws {
    try await ConcurrencyLimit.nodes.run {
      try await play(story, access, whenTaken, port: port, role, maps)
    }
  }

  private static func play(
    _ story: @escaping @Sendable (WebStage) async throws -> Void,
    _ access: AccessRule.Access, _ whenTaken: WebServer.WhenTaken, port: Int, _ role: Role,
    _ maps: MapCollection
  ) async throws {
    let folder = try TemporaryFolder()
    let node = try await node(in: folder.url, role)
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let store = try WebhookStore(in: folder.url.path)
    let programs = Programs(
      node: node, maps: maps, webhooks: store, home: folder.url.path, logger: .silent)
    let server = WebServer(
      at: .address(host: "127.0.0.1", port: port, access: access, whenTaken: whenTaken), node: node,
      programs: programs, logger: .silent
    ) { listening.yield($0) }
    let group = ServiceGroup(services: [programs, server], logger: .silent)
    try await withThrowingTaskGroup { tasks in
      tasks.addTask {
        defer { listening.finish() }
        try await group.run()
      }
      var iterator = ports.makeAsyncIterator()
      guard let port = await iterator.next() else { throw Failed("the server never listened") }
      let outcome: Result<Void, any Error>
      do {
        outcome = .success(
          try await story(
            WebStage(node: node, port: port, store: store, folder: folder.url.path)))
      } catch {
        outcome = .failure(error)
      }
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
      await node.stop()
      try outcome.get()
    }
  }

  private static func node(in folder: URL, _ role: Role) async throws -> Node {
    func home(_ name: String) -> NodeHome {
      NodeHome.locate(
        home: folder.path + "/" + name, keys: nil,
        environment: ["MUSTER_STATE": folder.path + "/state-" + name])
    }
    _ = try Founding.found(
      operation: "Ridge", callsign: "Anna", home: home("a"), passphrase: nil)
    let anna = Node(try OpenedHome(home("a")) { [] }, transport: nil, logger: .silent)
    if role == .command { return anna }
    let request = try Founding.request(callsign: "Ben", home: home("b"), passphrase: nil)
    guard
      case .grant(let grant, _) = await anna.perform(
        .admit(request: ByteString(request), role: role))
    else { throw Failed("no device was admitted") }
    await anna.stop()
    _ = try Founding.join(grant: grant.bytes, home: home("b"), confirm: { _ in }) { [] }
    return Node(try OpenedHome(home("b")) { [] }, transport: nil, logger: .silent)
  }

  // MARK: Requests

  func get(_ path: String) async throws -> JSON {
    let answer = try await client.ask("GET", path)
    guard answer.status == 200 else { throw Failed("\(path): \(answer)") }
    return answer.json
  }

  /// Creates a row and returns its id.
  func make(_ path: String, _ body: JSON) async throws -> String {
    let answer = try await client.ask("POST", path, body: body.text)
    guard answer.status == 201, let id = answer.json.members?["id"]?.word else {
      throw Failed("\(path): \(answer)")
    }
    return id
  }

  /// Creates an assembly zone without the role that it needs, which raises an alert. Returns its id.
  func makeEmptyZone(_ name: String = "School", latitude: Double = 46.5) async throws -> String {
    try await make(
      "/api/v1/fences",
      JSON.read(
        of: """
          {"name":"\(name)","kind":"muster","needs":"relay",
           "circle":{"lat":\(latitude),"lon":7.5,"radiusMetres":100}}
          """))
  }

  func status(
    _ method: String, _ path: String, _ body: String? = nil, _ headers: [String: String] = [:]
  ) async throws -> Int {
    try await client.ask(method, path, body: body, headers: headers).status
  }

  /// Runs the body of a test while the node posts, with minimal pauses between attempts.
  func posting(
    _ store: WebhookStore, longest: Duration = .milliseconds(40),
    stallLimit: Duration = WebhookStall.limit, _ story: @Sendable () async throws -> Void
  ) async throws {
    let sender = WebhookSender(
      node: node, store: store, proxy: nil,
      backoff: Backoff(first: .milliseconds(5), longest: longest), stallLimit: stallLimit,
      logger: .silent
    ) { 7 }
    let group = ServiceGroup(services: [sender], logger: .silent)
    try await withThrowingTaskGroup { tasks in
      tasks.addTask { try await group.run() }
      let outcome: Result<Void, any Error>
      do {
        outcome = .success(try await story())
      } catch {
        outcome = .failure(error)
      }
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
      try outcome.get()
    }
  }
}

extension Logger {
  static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

/// An error that ends a test.
struct Failed: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension JSON {
  subscript(name: String) -> JSON { members?[name] ?? .null }

  /// Returns null for malformed JSON.
  static func read(of text: String) -> JSON {
    do { return try read(Array(text.utf8)) } catch { return .null }
  }

  var items: [JSON] { self["items"].elements ?? [] }
}
