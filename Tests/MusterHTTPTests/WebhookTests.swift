import Foundation
import Logging
import MusterInterchange
import MusterModel
import MusterNode
import class MusterTestKit.TemporaryFolder
import ServiceLifecycle
import Testing

@testable import MusterHTTP
@testable import MusterTransport

@Suite(.timeLimit(.minutes(30))) struct `Webhooks` {
  private static let secret = "a-secret-of-the-test"

  private static func webhook(
    _ name: String, _ url: String, _ rules: Webhook.Rules = Webhook.Rules()
  ) throws -> Webhook {
    try Webhook(name: name, address: WebhookAddress(parsing: url), secret: secret, rules: rules)
  }

  /// Creates crossings: Anna enters that many fences at once.
  private static func cross(_ web: WebStage, _ names: [String]) async throws {
    for name in names {
      _ = try await web.make(
        "/api/v1/fences",
        .object([
          "name": .string(name),
          "circle": .object([
            "lat": .real(46.5), "lon": .real(7.5), "radiusMetres": .count(100),
          ]),
        ]))
    }
    let here = "{\"lat\":46.5,\"lon\":7.5,\"accuracyMetres\":5}"
    #expect(try await web.status("POST", "/api/v1/me/position", here) == 204)
    guard case .events(let events) = await web.node.perform(.events(after: nil, limit: 10_000))
    else { throw Failed("no events") }
    #expect(Set(events.map(\.fenceName)).isSuperset(of: names))
  }

  /// Waits until so many were accepted, and the stored position shows it.
  private static func settled(
    _ store: WebhookStore, _ web: WebStage, after count: Int, _ receiver: Receiver
  ) async throws {
    _ = try await receiver.taken(count)
    let newest = try await web.node.newestArrival()
    try await eventually { store.entry("board")?.place.arrival == newest }
  }

  private static func ids(_ web: WebStage) async throws -> [String] {
    guard case .events(let events) = await web.node.perform(.events(after: nil, limit: 10_000))
    else { throw Failed("no events") }
    return events.map { "\($0.id)" }
  }

  @Test func `a crossing is posted, signed, in the AWS form`() async throws {
    try await WebStage.run { web in
      try await Receiver.run { _ in
        .accept
      } story: { receiver in
        let store = try WebhookStore(in: web.folder)
        try await store.put(Self.webhook("board", receiver.url), from: .now(of: web.node))
        try await web.posting(store) {
          try await Self.cross(web, ["School"])
          let post = try await receiver.posts(1)[0]
          #expect(post.headers["content-type"] == "application/cloudevents+json")
          let event = JSON.read(of: post.body)
          #expect(event["specversion"].word == "1.0")
          #expect(event["type"].word == "muster.crossing.enter.v1")
          #expect(event["id"].word == post.headers["webhook-id"])
          let detail = event["data"]["detail"]
          #expect(event["data"]["detail-type"].word == "Location Geofence Event")
          #expect(detail["EventType"].word == "ENTER")
          #expect(detail["Position"].elements == [.number("7.5"), .number("46.5")])
          let found = try await web.get("/api/v1/events").items[0]
          #expect(event["id"] == found["id"] && detail["GeofenceId"] == found["fence"])
          #expect(detail["DeviceId"] == found["subject"])
          let time = post.headers["webhook-timestamp"] ?? ""
          let text = "\(event["id"].word ?? "").\(time).\(post.body)"
          let key = WebhookLine.key(of: Self.secret)
          #expect(post.headers["webhook-signature"] == WebhookLine.signature(of: text, by: key))
        }
      }
    }
  }

  @Test func `undelivered events are retried, in order, and after a restart`() async throws {
    try await WebStage.run { web in
      let names = (0..<6).map { "Fence \($0)" }
      let acts: [Receiver.Act] = [.accept, .status(503), .status(429), .accept, .hangUp]
      try await Receiver.run {
        acts.indices.contains($0) ? acts[$0] : .accept
      } story: { receiver in
        let first = try WebhookStore(in: web.folder)
        try await first.put(Self.webhook("board", receiver.url), from: .now(of: web.node))
        try await web.posting(first) {
          try await Self.cross(web, Array(names.prefix(3)))
          _ = try await receiver.taken(2)
        }
        // Nothing is posted while the node is stopped, and nothing is lost.
        try await Self.cross(web, Array(names.dropFirst(3)))
        try await web.posting(try WebhookStore(in: web.folder)) {
          try await eventually { Set(receiver.takenIDs).count == 6 }
        }
        // A request in progress when the node stopped may have been accepted twice.
        var taken: [String] = []
        for id in receiver.takenIDs where !taken.contains(id) { taken.append(id) }
        let ids = try await Self.ids(web)
        #expect(ids.count == 6 && taken == ids)
      }
    }
  }

  /// The sum of doubled pauses would be half a day.
  @Test func `a delivery between two failures resets the pause`() async throws {
    try await WebStage.run { web in
      try await Receiver.run {
        $0 % 2 == 1 ? .status(503) : .accept
      } story: { receiver in
        let store = try WebhookStore(in: web.folder)
        try await store.put(Self.webhook("board", receiver.url), from: .now(of: web.node))
        try await web.posting(store, longest: .seconds(100_000)) {
          try await Self.cross(web, (0..<24).map { "Fence \($0)" })
          try await Self.settled(store, web, after: 24, receiver)
        }
      }
    }
  }

  @Test func `rejected events are set aside, listed and retried`() async throws {
    try await WebStage.run { web in
      try await Receiver.run {
        $0 == 1 ? .status(400) : .accept
      } story: { receiver in
        try await web.store.put(Self.webhook("board", receiver.url), from: .now(of: web.node))
        try await web.posting(web.store) {
          try await Self.cross(web, ["A", "B", "C"])
          _ = try await receiver.taken(2)
          let failed = try await web.get("/api/v1/webhooks/board/failed").items
          let ids = try await Self.ids(web)
          #expect(failed.count == 1 && failed.first?["id"].word == ids[1])
          #expect(failed.first?["reason"].word?.contains("400") == true)
          let listed = try await web.get("/api/v1/webhooks").items
          #expect(listed.first?["failed"] == .count(1))
          #expect(!"\(listed)".contains(Self.secret))
          let kept = try WebhookStore(in: web.folder)
          #expect(kept.entry("board")?.failed.count == 1)

          let path = "/api/v1/webhooks/board/retry"
          #expect(try await web.status("POST", path, "{\"event\":\"00000000\"}") == 422)
          #expect(try await web.status("POST", path, "{\"event\":\"\(ids[1])\"}") == 200)
          _ = try await receiver.taken(3)
          #expect(receiver.takenIDs == [ids[0], ids[2], ids[1]])
          try await eventually { web.store.entry("board")?.failed.isEmpty == true }
        }
      }
    }
  }

  @Test func `a receiver that hangs, floods, redirects or sends garbage delays no other`()
    async throws
  {
    try await WebStage.run { web in
      try await Receiver.run(each: [.accept, .hang, .flood, .rubbish]) { receivers in
        let (good, hung, flood, rubbish) = (receivers[0], receivers[1], receivers[2], receivers[3])
        try await Receiver.run { _ in
          .redirect(good.url)
        } story: { redirect in
          let place = try await WebhookPosition.now(of: web.node)
          let all = ["a": hung, "b": flood, "c": rubbish, "d": redirect, "z": good]
          for (name, receiver) in all {
            try web.store.put(Self.webhook(name, receiver.url), from: place)
          }
          let nobody = try Self.webhook("n", "http://127.0.0.1:1/")
          try web.store.put(nobody, from: place)
          try await web.posting(web.store) {
            try await Self.cross(web, (0..<5).map { "Fence \($0)" })
            _ = try await good.taken(5)
            _ = try await hung.posts(1)
            try await eventually {
              web.store.entry("d")?.failed.count == 5
                && web.store.entry("c")?.trouble != nil
                && web.store.entry("n")?.trouble != nil
            }
            // The head of a response counts, however long its body is.
            _ = try await flood.posts(5)
          }
          // Redirects are not followed.
          #expect(good.count == 5)
          #expect(web.store.entry("a")?.place.arrival == place.arrival)
          #expect(web.store.entry("n")?.place.arrival == place.arrival)
        }
      }
    }
  }

  @Test func `rules select by kind, fence and person, and data sets are posted by count`()
    async throws
  {
    try await WebStage.run { web in
      try await Receiver.run(each: [.accept, .accept]) { receivers in
        let (crossings, counts) = (receivers[0], receivers[1])
        let place = try await WebhookPosition.now(of: web.node)
        let some = Webhook.Rules(events: [.enter], fences: ["B"], users: ["Anna"])
        try web.store.put(Self.webhook("some", crossings.url, some), from: place)
        let none = Webhook.Rules(events: [.enter], users: ["Nemo"])
        try web.store.put(Self.webhook("none", crossings.url, none), from: place)
        let sets = Webhook.Rules(datasets: [.reports])
        try web.store.put(Self.webhook("sets", counts.url, sets), from: place)
        try await web.posting(web.store) {
          try await Self.cross(web, ["A", "B"])
          _ = try await web.make("/api/v1/reports", .object(["title": .string("Smoke")]))
          let post = try await crossings.posts(1)[0]
          #expect(post.body.contains("\"name\":\"B\""))
          let notice = JSON.read(of: try await counts.posts(1)[0].body)
          #expect(notice["type"].word == "muster.change.v1")
          #expect(notice["data"]["dataset"].word == "reports")
          let count = try await web.get("/api/v1/changes")["reports"]
          try await eventually {
            counts.all.last.map { JSON.read(of: $0.body)["data"]["syncCount"] } == count
          }
          try await eventually {
            web.store.entry("none")?.place.arrival == web.store.entry("some")?.place.arrival
              && web.store.entry("none")?.place.arrival != place.arrival
          }
        }
        #expect(crossings.count == 1)
      }
    }
  }

  @Test func `alerts are posted when raised, acknowledged and cleared, over restarts too`()
    async throws
  {
    try await WebStage.run { web in
      // Only a running node reviews alerts.
      await web.node.start(peers: [], linkRate: nil)
      let acts: [Receiver.Act] = [.status(503), .hangUp]
      try await Receiver.run {
        acts.indices.contains($0) ? acts[$0] : .accept
      } story: { receiver in
        let rules = Webhook.Rules(alerts: true, users: ["Nemo"])
        let first = try WebhookStore(in: web.folder)
        try await first.put(Self.webhook("pager", receiver.url, rules), from: .now(of: web.node))
        let fence = try await web.makeEmptyZone()
        try await web.posting(first) {
          try await eventually { Self.sent(receiver, fence) == ["raised"] }
        }
        // It is acknowledged while nothing is posted.
        let path = "/api/v1/alerts/emptyFence:\(fence)/acknowledge"
        #expect(try await web.status("POST", path, "{\"name\":\"Maria\"}") == 204)
        let again = try WebhookStore(in: web.folder)
        #expect(again.entry("pager")?.place == first.entry("pager")?.place)
        try await web.posting(again) {
          try await eventually { Self.sent(receiver, fence) == ["raised", "acknowledged"] }
          #expect(try await web.status("DELETE", "/api/v1/fences/\(fence)") == 204)
          try await eventually {
            Self.sent(receiver, fence) == ["raised", "acknowledged", "cleared"]
          }
        }
        let posts = receiver.all.map { JSON.read(of: $0.body) }
        let raised = posts.filter { $0["type"].word == "muster.alert.raised.v1" }
        // Rejected events are retried with the same id.
        let ids = raised.filter { $0["subject"].word == "emptyFence:\(fence)" }
          .map { $0["id"].word }
        #expect(Set(ids).count == 1)
        #expect(posts.allSatisfy { $0["data"]["kind"].word != nil })
        let noticed = posts.first { $0["type"].word == "muster.alert.acknowledged.v1" }
        #expect(noticed?["data"]["acknowledgedBy"].word == "Maria")
      }
    }
  }

  /// The node stopped after the receiver took "raised", and before it stored that.
  @Test func `an alert acknowledged before its first post was stored is posted as both`() throws {
    let alert = { (name: String?) in
      Alert(
        id: AlertID(kind: .emptyFence, row: RowID(raw: .zero)), level: .warning, text: "empty",
        since: Timestamp(milliseconds: 1),
        acknowledgement: name.map {
          AlertAcknowledgement(name: $0, moment: Timestamp(milliseconds: 2))
        })
    }
    var place = WebhookPosition.beginning
    let changes = place.quieten(to: [alert("Maria")])
    #expect(changes == [.raised(alert(nil)), .acknowledged(alert("Maria"))])
    // Each post is stored by itself.
    place.note(changes[0])
    #expect(place.quieten(to: [alert("Maria")]) == [.acknowledged(alert("Maria"))])
    place.note(changes[1])
    #expect(place.quieten(to: [alert("Maria")]).isEmpty)
  }

  @Test func `a shelved warning is not announced, and its end and its return are`() throws {
    func alert(since: Int64, isShelved: Bool = false) -> Alert {
      var alert = Alert(
        id: AlertID(kind: .emptyFence, row: RowID(raw: .zero)), level: .warning, text: "empty",
        since: Timestamp(milliseconds: since))
      if isShelved {
        alert.shelving = AlertShelving(
          name: "Eva", reason: "radio", until: Timestamp(milliseconds: 9))
      }
      return alert
    }
    var place = WebhookPosition.beginning
    #expect(place.quieten(to: [alert(since: 1, isShelved: true)]).isEmpty, "not known")
    place.note(.raised(alert(since: 1)))
    #expect(place.quieten(to: [alert(since: 1, isShelved: true)]).isEmpty, "known")
    #expect(place.quieten(to: [alert(since: 2)]) == [.raised(alert(since: 2))])
    #expect(place.quieten(to: []) == [.cleared(alert(since: 1))])
  }

  /// Returns the accepted events of the empty-fence alert, once per id, in order.
  private static func sent(_ receiver: Receiver, _ fence: String) -> [String] {
    var ids: Set<String> = []
    let taken = Set(receiver.takenIDs)
    return receiver.all.map { JSON.read(of: $0.body) }.filter { event in
      let id = event["id"].word ?? ""
      return event["subject"].word == "emptyFence:\(fence)" && taken.contains(id)
        && ids.insert(id).inserted
    }.compactMap { $0["data"]["change"].word }
  }

  @Test func `are added, replaced and removed over HTTP, and invalid ones rejected`() async throws {
    try await WebStage.run { web in
      let path = "/api/v1/webhooks/board"
      let added = try await web.client.ask("PUT", path, body: "{\"url\":\"http://a.example/?k=1\"}")
      let secret = added.json["secret"].word ?? ""
      #expect(added.status == 200 && secret.hasPrefix("whsec_"))
      #expect(added.json["url"].word == "http://a.example/")
      let again = try await web.client.ask(
        "PUT", path, body: "{\"url\":\"http://A.example:80/in\",\"datasets\":[\"users\"]}")
      // The same server keeps its secret, which no answer repeats.
      #expect(again.status == 200 && again.json["secret"].word == nil)
      #expect(again.json["events"] == .array([]) && !again.body.contains(secret))
      let moved = try await web.client.ask("PUT", path, body: "{\"url\":\"https://b.example/\"}")
      let other = moved.json["secret"].word ?? ""
      #expect(other.hasPrefix("whsec_") && other != secret)
      let alerts = try await web.client.ask(
        "PUT", path, body: "{\"url\":\"https://b.example/\",\"events\":[\"ALERT\",\"EXIT\"]}")
      #expect(alerts.json["events"] == .strings(["EXIT", "ALERT"]))
      #expect(try await web.get("/api/v1/webhooks").items.count == 1)
      for (status, body) in [
        (422, "{\"url\":\"ftp://a.example\"}"), (422, "{\"url\":\"http://a\",\"secret\":\"x\"}"),
        (400, "{}"), (400, "{\"url\":\"http://a\",\"events\":[\"LEAP\"]}"),
        (400, "{\"url\":\"http://a\",\"color\":1}"),
      ] {
        #expect(try await web.status("PUT", path, body) == status, "\(body)")
      }
      #expect(
        try await web.status("PUT", "/api/v1/webhooks/a%20b", "{\"url\":\"http://a\"}") == 422)
      for number in 1..<WebhookStore.most {
        let other = "/api/v1/webhooks/w\(number)"
        #expect(try await web.status("PUT", other, "{\"url\":\"http://a\"}") == 200)
      }
      #expect(try await web.status("PUT", "/api/v1/webhooks/more", "{\"url\":\"http://a\"}") == 422)
      #expect(try await web.status("DELETE", path) == 204)
      #expect(try await web.status("DELETE", path) == 404)
      #expect(try await web.status("GET", path + "/failed") == 404)
      #expect(try await web.status("POST", path + "/retry", "{}") == 404)
      let file = web.folder + "/webhooks.json"
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
      #expect((mode as? NSNumber)?.intValue == 0o600)
      try Data("[{\"name\":1}]".utf8).write(to: URL(filePath: file))
      #expect(throws: WebhookFault.self) { try WebhookStore(in: web.folder) }
    }
  }

  @Test func `a lost position, or one of another log, restarts from the start position`()
    async throws
  {
    try await WebStage.run { web in
      try await Receiver.run { _ in
        .accept
      } story: { receiver in
        let store = try WebhookStore(in: web.folder)
        try await store.put(Self.webhook("board", receiver.url), from: .now(of: web.node))
        try await web.posting(store) {
          try await Self.cross(web, ["A", "B"])
          try await Self.settled(store, web, after: 2, receiver)
        }
        try FileManager.default.removeItem(atPath: web.folder + "/webhooks-places.json")
        let second = try WebhookStore(in: web.folder)
        try await web.posting(second) {
          try await Self.settled(second, web, after: 4, receiver)
        }
        let other = try WebhookStore(in: web.folder)
        let strange = WebhookPosition(
          arrival: 1_000, newest: .init(arrival: 1_000, crossing: CrossingID(raw: .zero)),
          counts: [:])
        other.move("board", to: strange)
        try await web.posting(other) {
          try await Self.settled(other, web, after: 6, receiver)
        }
        let ids = try await Self.ids(web)
        #expect(receiver.takenIDs == ids + ids + ids)
      }
    }
  }

  @Test func `too many failed events stop one webhook, and nothing is lost`() async throws {
    let folder = try TemporaryFolder()
    let store = try WebhookStore(in: folder.url.path)
    try store.put(Self.webhook("board", "http://127.0.0.1:1/"), from: .beginning)
    func delivery(_ number: UInt64) -> FailedDelivery {
      FailedDelivery(
        arrival: Int64(number), crossing: CrossingID(raw: Bytes16(high: 0, low: number)),
        reason: "it answered 400", attempts: 1, failedAt: Timestamp(milliseconds: 0), isDue: false)
    }
    for number in 1...UInt64(WebhookStore.mostFailed) {
      let hasRoom = try store.fail(delivery(number), of: "board")
      #expect(hasRoom)
    }
    let hasRoom = try store.fail(delivery(5_000), of: "board")
    let isThere = try store.fail(delivery(7), of: "board")
    #expect(!hasRoom && isThere)
    let kept = try WebhookStore(in: folder.url.path)
    let retried = try store.retry("board", nil)
    #expect(kept.entry("board")?.failed.count == 1000 && retried == 1000)
  }
}
