import Foundation
import Hummingbird
import Logging
import MusterInterchange
import MusterModel
import MusterNode
import MusterTransport
import NIOSSL
import Testing

@testable import MusterHTTP

/// Every route, asked for by every kind of client over a real listener, with own objects and those
/// of others: the answer is that of the declaration.
extension `Logging in` {
  /// A client of the listener with TLS.
  private struct Client: Sendable {
    let name: String
    let kind: ClientKind
    /// Whether its login has a person and positions.
    let hasPerson: Bool
    var headers: [String: String] = [:]
    /// The path of a report that its login filed; empty for none.
    var report = ""
    /// The path to which a tracker app reports; nil for another client.
    var secretPath: String?
  }

  /// A request for a route.
  private struct Trial {
    let path: String
    let body: String
    /// Whether it is for what is another's.
    let isOfOthers: Bool
  }

  /// What the trials of a login name.
  private struct Objects {
    /// The path of a report of the laptop's user.
    let report: String
    let directive: String
    /// The laptop's user.
    let person: String
  }

  @Test
  func `at the remote listener, each client may do what the table states, and nothing else`()
    async throws
  {
    try await Self.run { caller, folder in
      try await RemoteListener.run(caller.endpoint) { listener in
        let (clients, objects) = try await Self.clients(of: caller, listener, in: folder)
        // Reports are deleted after everything else.
        let routes = caller.endpoint.router.routes.sorted {
          $0.method != .delete && $1.method == .delete
        }
        var (trials, differences) = (0, [String]())
        for client in clients {
          for route in routes {
            for trial in Self.trials(route, client, objects) {
              let answer = try await listener.ask(
                route.method.rawValue, trial.path, trial.body, client.headers)
              trials += 1
              guard let fault = Self.fault(answer.status, route.rights, client, trial) else {
                continue
              }
              differences.append(
                "\(client.name): \(route.method.rawValue) \(trial.path) \(trial.body): \(fault)")
            }
          }
        }
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
        #expect(trials > clients.count * routes.count)
        print("rights: \(trials) requests, \(differences.count) differences")
      }
    }
  }

  @Test func `beside the API, the remote listener serves what its table has`() async throws {
    try await Self.run { caller, folder in
      try await RemoteListener.run(caller.endpoint) { listener in
        let (clients, _) = try await Self.clients(of: caller, listener, in: folder)
        for client in clients {
          let known = client.headers["Cookie"] != nil
          for (method, path, status) in [
            ("GET", "/", 200), ("GET", "/dashboard/js/main.js", 200), ("GET", "/join", 200),
            ("GET", "/join/authority.crt", 200), ("GET", "/join/device.key", known ? 404 : 401),
            ("GET", "/phone/\(Self.unknown)/?id=x&lat=1&lon=1", 401),
            ("GET", LoginEndpoint.path, known ? 200 : 401),
            ("PUT", LoginEndpoint.path, known ? 405 : 401),
            ("GET", "/logins.json", known ? 404 : 401), ("POST", "/", known ? 404 : 401),
            ("POST", "/api/v1/commands", known ? 404 : 401),
            ("GET", "/uplink", 404),
          ] {
            let answer = try await listener.ask(method, path, "", client.headers)
            #expect(answer.status == status, "\(client.name): \(method) \(path)")
          }
          guard let path = client.secretPath else { continue }
          let report = try await listener.ask("GET", path + "?id=x&lat=1&lon=1", "", [:])
          #expect(report.status == 200)
        }
        for client in clients where client.headers["Cookie"] != nil {
          let end = try await listener.ask("DELETE", LoginEndpoint.path, "", client.headers)
          #expect(end.status == 204, "\(client.name)")
          let after = try await listener.ask("GET", "/api/v1/users", "", client.headers)
          #expect(after.status == 401, "\(client.name)")
        }
      }
    }
  }

  @Test func `at a loopback address, the token decides, and at one for phones it opens no API`()
    async throws
  {
    let token = "00112233445566778899aabbccddeeff"
    let signed = ["Authorization": "AWS4-HMAC-SHA256 Credential=AKIAX/20260101/x/geo/aws4_request"]
    try await WebStage.run(access: .local(token: token)) { web in
      let report = "/api/v1/reports/" + (try await Self.report(at: web.node))
      let user = "\(try await web.node.user())"
      let objects = Objects(
        report: report, directive: Self.unknown, person: user)
      let clients = [
        Client(name: "none", kind: .stranger, hasPerson: false),
        Client(name: "access key", kind: .accessKey, hasPerson: false, headers: signed),
        Client(
          name: "laptop", kind: .laptop, hasPerson: true,
          headers: ["Authorization": "Bearer \(token)"]),
      ]
      for client in clients {
        for route in API.routes where route.path != "/api/v1/stream" || client.kind != .laptop {
          for trial in Self.trials(route, client, objects) {
            let answer = try await web.client.ask(
              route.method.rawValue, trial.path, body: trial.body.isEmpty ? nil : trial.body,
              headers: client.headers, isRefused: client.kind != .laptop)
            let mayUse =
              route.rights.extents[client.kind] != nil
              || route.rights.extents[.stranger] == .here
            #expect(
              [401, 403].contains(answer.status) == !mayUse,
              "\(client.name): \(route.method.rawValue) \(trial.path): \(answer)")
          }
        }
      }
    }
    try await WebStage.run(access: .phones(token: token)) { web in
      for route in API.routes {
        let path = route.path.replacing(/\{[a-z]+\}/, with: Self.unknown)
        let answer = try await web.client.ask(
          route.method.rawValue, path, headers: ["Authorization": "Bearer \(token)"],
          isRefused: true)
        #expect(answer.status == 403, "\(route.method.rawValue) \(path)")
      }
    }
  }

  /// Returns how an answer differs from the declaration; nil if it does not.
  private static func fault(
    _ answer: Int, _ rights: RouteRights, _ client: Client, _ trial: Trial
  ) -> String? {
    let isRefused = [401, 403].contains(answer)
    var extent = rights.extents[client.kind]
    // Only from this machine.
    if extent == .here { extent = nil }
    let mayUse: Bool =
      switch extent {
      case nil: false
      case .own: !trial.isOfOthers && (rights.speaker == nil || client.hasPerson)
      case .others: trial.isOfOthers
      // Who speaks for themselves must be a person.
      case .yes where !trial.isOfOthers: rights.speaker == nil || client.hasPerson
      default: true
      }
    if mayUse { return isRefused ? "\(answer), and the table permits it" : nil }
    let status = [.stranger, .removed, .helpOnly].contains(client.kind) ? 401 : 403
    let expected = client.kind == .accessKey || client.kind == .phone ? 401 : status
    return answer == expected ? nil : "\(answer) instead of \(expected)"
  }

  // MARK: Trials

  private static let unknown = String(repeating: "a", count: 32)

  private static func trials(_ route: Route, _ client: Client, _ objects: Objects) -> [Trial] {
    let path = { (report: String) in
      route.path.hasPrefix("/api/v1/reports/{id}")
        ? route.path.replacing("/api/v1/reports/{id}", with: report) : route.path
    }
    func trial(_ text: String, _ body: String, ofOthers: Bool = false) -> Trial {
      let directive = text.contains("acknowledgements") ? objects.directive : unknown
      let filled = text.replacing("/directives/{id}", with: "/directives/\(directive)").replacing(
        /\{[a-z]+\}/, with: unknown)
      return Trial(path: filled, body: body, isOfOthers: ofOthers)
    }
    let other = ",\"user\":\"\(objects.person)\""
    switch "\(route.method.rawValue) \(route.path)" {
    case "PUT /api/v1/me/safety": return [trial(route.path, "{\"safety\":\"help\"}")]
    case "POST /api/v1/me/position": return [trial(route.path, "{\"lat\":46,\"lon\":7}")]
    case "PUT /api/v1/me/team": return [trial(route.path, "{\"team\":\"North\"}")]
    case "POST /api/v1/checkins":
      return [
        trial(route.path, "{\"durationSeconds\":600}"),
        trial(route.path, "{\"durationSeconds\":600,\"role\":\"member\"}", ofOthers: true),
      ]
    case "POST /api/v1/checkins/report":
      return [
        trial(route.path, "{\"kind\":\"ok\"}"),
        trial(route.path, "{\"kind\":\"ok\"\(other)}", ofOthers: true),
      ]
    case "POST /api/v1/directives/{id}/acknowledgements",
      "POST /api/v1/directives/{id}/acknowledgements/undo":
      return [
        trial(route.path, "{}"), trial(route.path, "{\(other.dropFirst())}", ofOthers: true),
      ]
    case "PATCH /api/v1/reports/{id}", "POST /api/v1/reports/{id}/confirm",
      "POST /api/v1/reports/{id}/comments":
      let body = route.method == .patch ? "{\"severity\":3}" : "{\"text\":\"Seen\"}"
      guard !client.report.isEmpty else {
        return [trial(path(objects.report), body, ofOthers: true)]
      }
      let own = client.report
      return [
        trial(path(own), body), trial(path(objects.report), body, ofOthers: true),
      ]
    case "DELETE /api/v1/reports/{id}":
      // Command may delete all: the others need that of the laptop's user.
      guard client.kind == .member else {
        return [trial(client.report.isEmpty ? route.path : client.report, "")]
      }
      return [trial(path(objects.report), "", ofOthers: true), trial(client.report, "")]
    default:
      return [trial(path(objects.report), route.method == .get ? "" : "{}", ofOthers: true)]
    }
  }

  // MARK: Clients

  /// Returns clients of every kind, and what their requests name.
  private static func clients(
    of caller: Caller, _ listener: RemoteListener, in folder: String
  ) async throws -> ([Client], Objects) {
    let file = LoginFile(in: folder)
    func add(_ name: String, _ rights: Login.Rights, isPhone: Bool) throws {
      try file.add(
        Login(
          name: name, rights: rights, isPhone: isPhone, passphrase: Array("\(name)'s words".utf8),
          cost: .minimum))
    }
    func client(
      _ name: String, _ kind: ClientKind, _ rights: Login.Rights, isPhone: Bool
    ) async throws -> Client {
      try add(name, rights, isPhone: isPhone)
      let words = "{\"name\":\"\(name)\",\"passphrase\":\"\(name)'s words\"}"
      let answer = try await listener.ask("POST", LoginEndpoint.path, words, [:])
      let cookie = try #require(answer.cookie, "\(name): \(answer.status)")
      let client = Client(
        name: "\(kind.name)\(isPhone ? " with a phone" : "")", kind: kind, hasPerson: isPhone,
        headers: ["Cookie": cookie])
      // Orders address the people that are listed.
      guard isPhone else { return client }
      let place = try await listener.ask(
        "POST", "/api/v1/me/position", "{\"lat\":46,\"lon\":7}", client.headers)
      try #require(place.status == 204)
      return client
    }
    var clients = [
      try await client("Hugo", .helpOnly, .member, isPhone: true),
      try await client("Remy", .removed, .member, isPhone: true),
      try await client("Lena", .lockedCommand, .command, isPhone: true),
      try await client("Lars", .lockedCommand, .command, isPhone: false),
    ]
    // A changed login has expired at the browsers that it had.
    try add("Hugo", .observer, isPhone: true)
    try file.remove("Remy")
    caller.clock.advance(seconds: 31 * 60)
    clients += [
      try await client("Otto", .observer, .observer, isPhone: false),
      try await client("Olga", .observer, .observer, isPhone: true),
      try await client("Mila", .member, .member, isPhone: false),
      try await client("Rui", .member, .member, isPhone: true),
      try await client("Maria", .command, .command, isPhone: false),
      try await client("Carl", .command, .command, isPhone: true),
    ]
    for index in clients.indices where [.member, .command].contains(clients[index].kind) {
      let answer = try await listener.ask(
        "POST", "/api/v1/reports", "{\"title\":\"Smoke\"}", clients[index].headers)
      clients[index].report = try #require(answer.location)
    }
    let order = try await listener.ask(
      "POST", "/api/v1/directives", "{\"kind\":\"rollcall\"}",
      try #require(clients.last).headers)
    let directive = try #require(order.location?.split(separator: "/").last)
    let node = caller.endpoint.router.api.node
    let objects = Objects(
      report: "/api/v1/reports/" + (try await report(at: node)), directive: String(directive),
      person: "\(try await node.user())")
    let secret = try #require(try file.read().first { $0.name == "Rui" }?.phoneSecret)
    let credential = "AWS4-HMAC-SHA256 Credential=AKIAX/20260101/x/geo/aws4_request"
    return (
      clients + [
        Client(name: "none", kind: .stranger, hasPerson: false),
        Client(
          name: "phone secret", kind: .phone, hasPerson: true, secretPath: "/phone/\(secret)/"),
        Client(
          name: "access key", kind: .accessKey, hasPerson: false,
          headers: ["Authorization": credential]),
      ], objects
    )
  }

  /// Files a report of the laptop's own user.
  private static func report(at node: Node) async throws -> String {
    guard case .created(let id) = await node.perform(.addReport(ReportDraft(title: "Flood"))) else {
      throw Failed("no report")
    }
    return "\(id)"
  }
}

/// The listener with TLS around the responder of a test.
private struct RemoteListener: Sendable {
  struct Answer {
    let status: Int
    let head: String

    var cookie: String? { value(of: "set-cookie")?.split(separator: ";").first.map(String.init) }
    var location: String? { value(of: "location") }

    private func value(of name: String) -> String? {
      for line in head.split(separator: "\r\n") {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == name else { continue }
        return parts[1].trimmingCharacters(in: .whitespaces)
      }
      return nil
    }
  }

  let port: Int

  static func run(
    _ endpoint: LoginEndpoint, _ story: (RemoteListener) async throws -> Void
  ) async throws {
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let inputs = ClosedInputs()
    let identity = try UplinkIdentity(
      seed: { [$0] + [UInt8](repeating: 5, count: 31) }, named: [])
    let server = CommandPostServer(
      host: "127.0.0.1", port: 0, identities: .init(uplinks: identity, browsers: nil),
      uplinks: UplinkSwitch(targets: []), logger: .silent, inputs: inputs,
      onListening: { listening.yield($0) },
      other: CommandPostServer.responder(endpoint, nil, inputs))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { listening.finish() }
        try await server.run()
      }
      var iterator = ports.makeAsyncIterator()
      try await story(RemoteListener(port: try #require(await iterator.next())))
      group.cancelAll()
    }
  }

  /// Sends a request over a connection of its own, and returns the head of its answer. A busy
  /// machine may end a connection before its request was read: a client asks again.
  func ask(
    _ method: String, _ path: String, _ body: String, _ headers: [String: String]
  ) async throws -> Answer {
    for _ in 1...3 {
      if let answer = try await askOnce(method, path, body, headers) { return answer }
    }
    throw Unanswered(request: "\(method) \(path)")
  }

  private struct Unanswered: Error {
    let request: String
  }

  /// Returns nil if the connection ends without a byte of an answer.
  private func askOnce(
    _ method: String, _ path: String, _ body: String, _ headers: [String: String]
  ) async throws -> Answer? {
    let caller = try await MusterHTTPTests.Caller.call(
      port: port, tls: (least: .tlsv12, most: .tlsv13))
    var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if !body.isEmpty {
      head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
    }
    await caller.send("\(head)\r\n\(body)")
    let deadline = ContinuousClock.now + .seconds(300)
    while true {
      // What arrives before the end is complete when the end shows.
      let hasEnded = caller.received.hasEnded
      let text = caller.received.text
      if let end = text.range(of: "\r\n\r\n") {
        await caller.hangUp()
        let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return Answer(status: try #require(status), head: String(text[..<end.lowerBound]))
      }
      if hasEnded {
        try #require(text.isEmpty, "\(method) \(path): half an answer")
        return nil
      }
      try #require(ContinuousClock.now < deadline, "\(method) \(path): no answer")
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}
