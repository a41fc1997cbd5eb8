import Foundation
import MusterInterchange
import MusterModel
import MusterNode
import Testing

@testable import MusterHTTP

@Suite struct `A request that is sent again` {
  private static let path = "/api/v1/reports"
  private static let smoke = "{\"title\":\"Smoke\"}"

  private static func send(
    _ web: WebStage, _ method: String = "POST", _ path: String = path, _ body: String? = smoke,
    key: String, _ more: [String: String] = [:]
  ) async throws -> WebClient.Answer {
    try await web.client.ask(
      method, path, body: body, headers: more.merging(["Idempotency-Key": key]) { $1 })
  }

  @Test func `has its effect once, and the same answer`() async throws {
    try await WebStage.run { web in
      let first = try await Self.send(web, key: "\"8e03978e-40d5\"")
      #expect(first.status == 201)
      // Quotes do not belong to the key.
      for key in ["\"8e03978e-40d5\"", "8e03978e-40d5"] {
        let again = try await Self.send(web, key: key)
        #expect(again.status == 201 && again.json == first.json)
        #expect(again.headers["location"] == first.headers["location"])
      }
      #expect(try await web.get(Self.path).items.count == 1)
      let other = try await Self.send(web, key: "another")
      #expect(other.status == 201 && other.json != first.json)
    }
  }

  @Test func `is rejected with the key of another request`() async throws {
    try await WebStage.run { web in
      let id = try #require(try await Self.send(web, key: "k").json["id"].word)
      let one = "\(Self.path)/\(id)"
      for (method, path, body, more) in [
        ("POST", Self.path, "{\"title\":\"Fire\"}", [:]), ("POST", one + "/confirm", nil, [:]),
        ("PATCH", one, Self.smoke, [:]), ("POST", Self.path, Self.smoke, ["If-Match": "\"1\""]),
      ] as [(String, String, String?, [String: String])] {
        let answer = try await Self.send(web, method, path, body, key: "k", more)
        #expect(answer.status == 422, "\(answer)")
        #expect(answer.json["detail"].word?.contains("send a new key") == true)
      }
      #expect(try await web.get(Self.path).items.count == 1)
      for key in ["", " ", "\"\"", "a b", String(repeating: "k", count: 256), "é"] {
        #expect(try await Self.send(web, key: key).status == 400, "\(key)")
      }
    }
  }

  @Test func `that the node refused is judged again`() async throws {
    try await WebStage.run { web in
      let id = try await web.make(Self.path, .object(["title": .string("Smoke")]))
      let one = "\(Self.path)/\(id)"
      let version = try #require(try await web.client.ask("GET", one).headers["etag"])
      #expect(
        try await Self.send(web, "PATCH", one, Self.smoke, key: "p", ["If-Match": "\"0\""]).status
          == 412)
      let body = "{\"severity\":4}"
      for _ in 1...2 {
        // The second finds another version than its client saw, and its own answer.
        let answer = try await Self.send(web, "PATCH", one, body, key: "q", ["If-Match": version])
        #expect(answer.status == 204, "\(answer)")
      }
      #expect(
        try await Self.send(web, "PATCH", one, Self.smoke, key: "p", ["If-Match": "\"0\""]).status
          == 412)
    }
  }

  @Test func `while it runs has one effect`() async throws {
    try await WebStage.run { web in
      let answers = try await withThrowingTaskGroup(of: WebClient.Answer.self) { group in
        for _ in 1...20 { group.addTask { try await Self.send(web, key: "many") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.allSatisfy { [201, 409].contains($0.status) })
      #expect(Set(answers.compactMap { $0.json["id"].word }).count == 1)
      #expect(try await web.get(Self.path).items.count == 1)
    }
  }

  @Test func `creates one webhook secret, one fix of the laptop`() async throws {
    try await WebStage.run { web in
      let (path, hook) = ("/api/v1/webhooks/one", "{\"url\":\"http://127.0.0.1:9/\"}")
      let answers = [
        try await Self.send(web, "PUT", path, hook, key: path),
        try await Self.send(web, "PUT", path, hook, key: path),
      ]
      #expect(answers[0].status == 200 && answers[0].body == answers[1].body, "\(answers)")
      let position = "{\"lat\":46,\"lon\":7,\"sampleTime\":\"2020-01-01T00:00:00Z\"}"
      for _ in 1...2 {
        let path = "/api/v1/me/position"
        #expect(try await Self.send(web, "POST", path, position, key: "fix").status == 204)
      }
      #expect(try await web.node.track(of: "Anna", limit: 10).count == 1)
    }
  }

  @Test func `states when the user acted`() async throws {
    try await WebStage.run { web in
      let late = ["Muster-Seconds-Ago": "3600"]
      for (key, more) in [("now", ["Muster-Seconds-Ago": "59"]), ("late", late)] {
        #expect(try await Self.send(web, key: key, more).status == 201)
      }
      let texts = try await web.get(Self.path).items.compactMap { $0["description"].word }.sorted()
      #expect(texts.count == 2 && texts[0].isEmpty)
      #expect(texts[1].wholeMatch(of: /\[\d{4}-\d\d-\d\dT\d\d:\d\d:00Z\]/) != nil, "\(texts)")
      let checkIn = try await Self.send(
        web, "POST", "/api/v1/checkins/report", "{\"kind\":\"ok\"}", key: "ok", late)
      #expect(checkIn.status == 422 && checkIn.body.contains("60 minutes old"), "\(checkIn)")
      #expect(try await Self.send(web, key: "x", ["Muster-Seconds-Ago": "-1"]).status == 400)
    }
  }

  @Test func `is remembered after a restart, and in a turn that several share`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "mi\(UInt32.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { print("\(error)") }
    }
    let home = NodeHome.locate(
      home: folder.path + "/a", keys: nil, environment: ["MUSTER_STATE": folder.path + "/s"])
    _ = try Founding.found(operation: "Ridge", callsign: "Anna", home: home, passphrase: nil)
    /// Sends the request 30 times to a node that is started for it, and returns its replies and
    /// reports. The home is unlocked on return.
    func perform() async throws -> (replies: Set<Reply>, reports: Reply) {
      let node = Node(try OpenedHome(home) { [] }, transport: nil, logger: .silent)
      let request = try IdempotentRequest("key", by: "Maria", for: ["POST"]).nextCommand()
      let replies = await withTaskGroup(of: Reply.self) { group in
        for _ in 1...30 {
          group.addTask {
            await node.perform(.addReport(ReportDraft(title: "Smoke")), once: request)
          }
        }
        return await group.reduce(into: Set<Reply>()) { $0.insert($1) }
      }
      let reports = await node.perform(.reports)
      await node.stop()
      return (replies, reports)
    }
    let (first, second) = (try await perform(), try await perform())
    #expect(second.replies == first.replies && first.replies.count == 1)
    guard case .reports(let reports) = second.reports else { throw Failed("no reports") }
    #expect(reports.count == 1)
  }
}
