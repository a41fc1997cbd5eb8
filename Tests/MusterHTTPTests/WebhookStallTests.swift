import Logging
import MusterInterchange
import MusterModel
import MusterNode
import ServiceLifecycle
import Testing

@testable import MusterHTTP
@testable import MusterTransport

/// A webhook that has stopped, and receivers that do not accept some events (decision 0110).
@Suite(.timeLimit(.minutes(30))) struct `Webhooks that stop` {
  private static func webhook(
    _ name: String, _ url: String, alerts: Bool = true
  ) throws -> Webhook {
    try Webhook(
      name: name, address: WebhookAddress(parsing: url), secret: "a-secret-of-the-test",
      rules: Webhook.Rules(events: [], alerts: alerts))
  }

  private static func stopped(_ web: WebStage) async throws -> [String] {
    try await web.node.raisedAlerts().filter { $0.id.kind == .webhook }
      .map { "\($0.level.name): \($0.text)" }
  }

  @Test func `one that delivers nothing is an alert until it delivers, over restarts too`()
    async throws
  {
    try await WebStage.run { web in
      await web.node.start(peers: [], linkRate: nil)
      let dead = try Self.webhook("pager", "http://127.0.0.1:1/")
      try await web.store.put(dead, from: .now(of: web.node))
      _ = try await web.makeEmptyZone("School")
      try await web.posting(web.store, stallLimit: .milliseconds(30)) {
        try await eventually {
          try await Self.stopped(web).first?.hasPrefix("warning: webhook pager delivers nothing: ")
            == true
        }
      }
      let raised = try #require(
        try await web.node.raisedAlerts().first { $0.id.kind == .webhook })

      // The next start knows it at once, and raises no other alert.
      let second = try WebhookStore(in: web.folder)
      #expect(try second.stopped(after: WebhookStall.limit).map(\.name) == ["pager"])
      try await Receiver.run { _ in
        .accept
      } story: { receiver in
        try await web.posting(second) {
          try await eventually { second.entry("pager")?.trouble != nil }
          let again = try await web.node.raisedAlerts().first { $0.id.kind == .webhook }
          #expect(again?.since == raised.since)
          try second.put(try Self.webhook("pager", receiver.url), from: .beginning)
          _ = try await receiver.taken(1)
          try await eventually { try await Self.stopped(web).isEmpty }
        }
      }
      #expect(try WebhookStore(in: web.folder).stopped(after: .zero).isEmpty)
    }
  }

  @Test func `one that was removed, or has nothing left to post, is no alert`() async throws {
    try await WebStage.run { web in
      await web.node.start(peers: [], linkRate: nil)
      for name in ["one", "two"] {
        let dead = try Self.webhook(name, "http://127.0.0.1:1/")
        try await web.store.put(dead, from: .now(of: web.node))
      }
      let fence = try await web.makeEmptyZone("School")
      try await web.posting(web.store, stallLimit: .milliseconds(30)) {
        try await eventually { try await Self.stopped(web).count == 2 }
        try web.store.remove("one")
        try await eventually { try await Self.stopped(web).count == 1 }
        #expect(try await web.status("DELETE", "/api/v1/fences/\(fence)") == 204)
        // That it has stopped does not wait for itself.
        try await eventually { try await Self.stopped(web).isEmpty }
      }
    }
  }

  @Test func `a stall needs time, and something that waits or was rejected several times`() {
    let start = ContinuousClock.now
    func isStopped(
      _ stall: WebhookStall, seconds: Int64, after limit: Duration = WebhookStall.limit
    ) -> Bool {
      var stall = stall
      return stall.review(at: start.advanced(by: .seconds(seconds)), after: limit).isStopped
    }
    var stall = WebhookStall(at: start)
    stall.noteWait()
    #expect(!isStopped(stall, seconds: 119) && isStopped(stall, seconds: 120))
    let hasEnded = stall.noteIdle()
    #expect(hasEnded && !isStopped(stall, seconds: 600), "nothing waits")
    for count in 1...WebhookStall.leastRejections {
      stall.noteRejection()
      let hasEnded = stall.noteIdle()
      #expect(!hasEnded)
      #expect(isStopped(stall, seconds: 600) == (count == WebhookStall.leastRejections))
    }
    var restored = WebhookStall(restoredWith: 0, at: start)
    #expect(isStopped(restored, seconds: 0) && restored.isReported)
    let isOver = restored.noteIdle()
    #expect(isOver)
  }

  @Test func `an alert that the receiver does not accept lets the others pass`() async throws {
    try await WebStage.run { web in
      await web.node.start(peers: [], linkRate: nil)
      try await Receiver.run(reacting: { _, post in
        post.body.contains("Poison") ? .status(503) : .accept
      }) { receiver in
        try await web.store.put(
          Self.webhook("pager", receiver.url), from: .now(of: web.node))
        for name in ["Poison 1", "Poison 2", "School", "Church"] {
          _ = try await web.makeEmptyZone(name)
        }
        try await web.posting(web.store) {
          try await eventually {
            let taken = Set(receiver.takenIDs)
            let posts = receiver.all.filter { taken.contains($0.headers["webhook-id"] ?? "") }
            return ["School", "Church"].allSatisfy { name in
              posts.contains { $0.body.contains(name) }
            }
          }
        }
      }
    }
  }

  @Test func `an alert that is raised again is posted again`() {
    func alert(since seconds: Int64) -> Alert {
      Alert(
        id: AlertID(kind: .furtherCalls, row: RowID(raw: .zero)), level: .danger, text: "calls",
        since: Timestamp(milliseconds: seconds * 1000))
    }
    var place = WebhookPosition.beginning
    place.note(.raised(alert(since: 1)))
    #expect(place.quieten(to: [alert(since: 1)]).isEmpty)
    #expect(place.quieten(to: [alert(since: 2)]) == [.raised(alert(since: 2))])
  }
}
