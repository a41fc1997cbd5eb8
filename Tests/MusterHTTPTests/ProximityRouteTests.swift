import Foundation
import MusterInterchange
import MusterModel
import MusterNode
import Testing

@testable import MusterHTTP

@Suite struct `Proximity over HTTP` {
  private static let path = "/api/v1/proximity"
  private static let uuid = "8be6cd371c5c891604bfbe49df845096"

  private func hear(_ name: String, _ web: WebStage) async {
    await web.node.watchNearby(from: "scanner", byDatagrams: false)
    await web.node.takeNearby(.state(.connected))
    await web.node.takeNearby(
      .lines([Array(#"{"uuid":"\#(Self.uuid)","name":"\#(name)","rssi":-61}"#.utf8)]))
  }

  @Test func `the laptop's user reads the log, and sends sessions by hand`() async throws {
    try await WebStage.run { web in
      await hear("Ben <b>", web)
      let state = try await web.get(Self.path)
      #expect(state["scanning"].word == "on" && state["advertising"].word == "off")
      #expect(state["counted"] == .number("1") && state["notices"].elements == [])
      #expect(state["sendsSessions"] == .bool(false) && state["report"] == .null)
      let device = try #require(try await web.get("\(Self.path)/devices?hours=1").items.first)
      #expect(device["identifier"].word == Self.uuid && device["name"].word == "Ben <b>")
      let own = try await web.get("\(Self.path)/own")
      #expect(own["identifier"].word?.count == 32 && own["serviceData"].word?.count == 40)
      #expect(try await web.get(Self.path)["advertising"].word == "unknown", "by another program")
      #expect(
        try await web.get("\(Self.path)/sessions").items.map { $0["isSynced"] } == [
          .bool(false)
        ])
      let sent = try await web.client.ask("POST", "\(Self.path)/send")
      #expect(sent.status == 200 && sent.json["recipients"] == .number("1"))
      #expect(
        try await web.get("\(Self.path)/sessions").items.map { $0["isSynced"] } == [
          .bool(true)
        ])
      let senders = try await web.get("\(Self.path)/review")["senders"].elements
      let session = try #require(senders?.first?["sessions"].elements?.first)
      #expect(session["names"] == .strings(["Ben <b>"]) && senders?.count == 1)
    }
  }

  @Test(arguments: [Role.command, .member])
  func `one request gives what the page shows`(role: Role) async throws {
    try await WebStage.run(role: role) { web in
      await hear("Ben", web)
      _ = try await web.get("\(Self.path)/own")
      let all = try await web.get("\(Self.path)/overview")
      for (part, path) in [("state", ""), ("own", "/own")] {
        #expect(all[part] == (try await web.get(Self.path + path)), "\(part)")
      }
      for part in ["devices", "sessions"] {
        let listed = try await web.get("\(Self.path)/\(part)").items
        #expect(all[part].elements == listed && listed.count == 1, "\(part)")
      }
      let review = role == .command ? try await web.get("\(Self.path)/review") : .null
      #expect(all["review"] == review)
    }
  }

  @Test func `choices are kept, and recording stops`() async throws {
    try await WebStage.run { web in
      let answer = try await web.client.ask(
        "PUT", Self.path, body: "{\"on\":false,\"sendsSessions\":true,\"sharesCount\":true}")
      #expect(answer.status == 200 && answer.json["scanning"].word == "off")
      await hear("Ben", web)
      let state = try await web.get(Self.path)
      #expect(state["sendsSessions"] == .bool(true) && state["sharesCount"] == .bool(true))
      #expect(state["refused"]["proximity is off"] == .number("1"))
      #expect(try await web.get("\(Self.path)/devices").items.isEmpty)
      let days = try await web.client.ask("PUT", Self.path, body: "{\"days\":3}")
      #expect(days.json["days"] == .number("3"))
      for body in ["{}", "{\"on\":1}", "{\"off\":true}", "{\"days\":0}", "{\"days\":15}"] {
        #expect(try await web.status("PUT", Self.path, body) == 400, "\(body)")
      }
    }
  }

  @Test func `what cannot be reported or published changes nothing`() async throws {
    try await WebStage.run { web in
      // The only key is today's.
      _ = try await web.get("\(Self.path)/own")
      for (method, path, body, status) in [
        ("PUT", "report", "{\"kind\":\"infection\"}", 422),
        ("PUT", "report", "{\"kind\":\"flu\"}", 400), ("PUT", "report", "{}", 400),
        ("DELETE", "report", nil, 422), ("PUT", "notices/0a1b", "{}", 422),
        ("DELETE", "notices/0a1b", nil, 422), ("GET", "devices?hours=0", nil, 400),
      ] as [(String, String, String?, Int)] {
        let answer = try await web.client.ask(method, "\(Self.path)/\(path)", body: body)
        #expect(answer.status == status, "\(method) \(path): \(answer)")
      }
      #expect(try await web.get(Self.path)["report"] == .null)
      #expect(try await web.get("\(Self.path)/review").items.isEmpty)
    }
  }

  @Test func `a session that command did not acknowledge is sent, and not synced`() async throws {
    try await WebStage.run(role: .member) { web in
      await hear("Ben", web)
      func session() async throws -> JSON? {
        try await web.get("\(Self.path)/sessions").items.first
      }
      #expect(try await session()?["isSent"] == .bool(false))
      let sent = try await web.client.ask("POST", "\(Self.path)/send")
      #expect(sent.status == 200)
      #expect(try await session()?["isSent"] == .bool(true))
      #expect(try await session()?["isSynced"] == .bool(false))
    }
  }

  @Test func `a name is shown only if the user chose it`() async throws {
    try await WebStage.run { web in
      #expect(try await web.get("\(Self.path)/own")["name"].word == "")
      let answer = try await web.client.ask("PUT", Self.path, body: "{\"showsName\":true}")
      #expect(answer.json["showsName"] == .bool(true))
      #expect(try await web.get("\(Self.path)/own")["name"].word?.isEmpty == false)
      #expect(answer.json["adapter"].word == "" && answer.json["problem"].word == "")
    }
  }

  @Test func `only command reviews`() async throws {
    try await WebStage.run(role: .member) { web in
      let (review, own) = (
        try await web.status("GET", "\(Self.path)/review"), try await web.status("GET", Self.path)
      )
      #expect(review == 403 && own == 200)
    }
  }

  @Test func `a stream reports that exposures changed`() async throws {
    try await WebStage.run { web in
      await hear("Ben", web)
      try await web.client.follow("/api/v1/stream?datasets=proximity") { events in
        let first = try await events.next()
        #expect(first?.name == "counts")
        let sent = try await web.status("POST", "\(Self.path)/send")
        #expect(sent == 200)
        let change = try await events.next()?.json
        #expect(change?["dataset"].word == "proximity")
      }
    }
  }
}
