import MusterInterchange
import MusterModel
import NIOEmbedded
import Testing

@testable import MusterHTTP

@Suite struct `Following over HTTP` {
  private static func report(_ web: WebStage, _ title: String) async throws -> String {
    try await web.make("/api/v1/reports", .object(["title": .string(title)]))
  }

  @Test func `a stream sends its start position, and then changes`() async throws {
    try await WebStage.run { web in
      try await web.client.follow("/api/v1/stream") { events in
        let first = try #require(try await events.next())
        #expect(first.name == "counts")
        let before = try await web.get("/api/v1/changes")
        #expect(first.json == before)
        let id = try await Self.report(web, "Smoke")
        let change = try #require(try await events.next())
        let notice = change.json
        #expect(change.name == "change" && notice["dataset"].word == "reports")
        #expect(notice["rows"] == .strings([id]) && notice["reload"] == .bool(false))
        let counts = try await web.get("/api/v1/changes")
        let status = try await web.get("/api/v1/status")
        #expect(notice["syncCount"] == counts["reports"] && notice["source"] == status["device"])
      }
    }
  }

  @Test func `a reconnecting reader receives the missed changes, or must reload`() async throws {
    try await WebStage.run { web in
      let place = try await Self.placeOf(web)
      let ids = [try await Self.report(web, "One"), try await Self.report(web, "Two")]
      try await web.client.follow("/api/v1/stream", lastEventID: place) { events in
        let notice = try #require(try await events.next()).json
        #expect(notice["rows"].elements.map { Set($0.compactMap(\.word)) } == Set(ids))
        #expect(notice["reload"] == .bool(false))
        let third = try await Self.report(web, "Three")
        let later = try await events.next()?.json
        #expect(later?["rows"] == .strings([third]))
      }
      let old = (1...Dataset.allCases.count).map(String.init).joined(separator: "-")
      try await web.client.follow(
        "/api/v1/stream?datasets=reports", lastEventID: old
      ) { events in
        let notice = try #require(try await events.next()).json
        #expect(notice["reload"] == .bool(true) && notice["rows"] == .null)
      }
      // An invalid position counts as missing: the stream starts at the current counts.
      try await web.client.follow("/api/v1/stream", lastEventID: "x") { events in
        let first = try await events.next()
        #expect(first?.name == "counts")
      }
    }
  }

  private static func placeOf(_ web: WebStage) async throws -> String {
    let counts = try await web.get("/api/v1/changes")
    return Dataset.allCases.map { set in
      if case .number(let digits) = counts[set.name] { digits } else { "" }
    }.joined(separator: "-")
  }

  @Test func `a subscription selects data sets, and its end ends the stream`() async throws {
    try await WebStage.run { web in
      let path = "/api/v1/subscriptions/board"
      #expect(try await web.status("GET", path) == 404)
      #expect(try await web.status("GET", "/api/v1/stream?subscription=board") == 404)
      #expect(try await web.status("PUT", path, "{\"datasets\":[\"fences\"]}") == 200)
      try await web.client.follow("/api/v1/stream?subscription=board") { events in
        let first = try await events.next()
        #expect(first?.name == "counts")
        _ = try await Self.report(web, "Not for this reader")
        _ = try await web.make(
          "/api/v1/fences",
          .object([
            "name": .string("School"),
            "circle": .object([
              "lat": .real(46.5), "lon": .real(7.5), "radiusMetres": .count(100),
            ]),
          ]))
        let drawn = try await events.next()?.json
        #expect(drawn?["dataset"].word == "fences")
        let chosen = try await web.status("PUT", path, "{\"datasets\":[\"all\"]}")
        let all = try await web.get(path)["datasets"].elements
        #expect(chosen == 200 && all?.count == Dataset.allCases.count)
        let id = try await Self.report(web, "For it now")
        let filed = try await events.next()?.json
        #expect(filed?["rows"] == .strings([id]))
        let gone = try await web.status("DELETE", path)
        let last = try await events.next()
        #expect(gone == 204 && last == nil)
      }
      #expect(try await web.status("DELETE", path) == 404)
      #expect(try await web.status("PUT", "/api/v1/subscriptions/a%20b", "{}") == 422)
      #expect(try await web.status("PUT", path, "{\"datasets\":[\"cats\"]}") == 400)
    }
  }

  @Test func `a server that stops ends the streams`() async throws {
    let (ended, end) = AsyncStream.makeStream(of: Bool.self)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let reader = Task { () -> Void in
      do {
        try await WebStage.run { web in
          Task {
            try await web.client.follow("/api/v1/stream") { events in
              _ = try await events.next()
              begin.finish()
              end.yield(try await events.next() == nil)
              end.finish()
            }
          }
          for await _ in begun {}
        }
      } catch {
        Issue.record("\(error)")
        end.finish()
      }
    }
    var iterator = ended.makeAsyncIterator()
    #expect(await iterator.next() == true)
    await reader.value
  }

  @Test func `the queue of a blocked reader is bounded, and the reader must reload`() async {
    let connection = Connection(channel: EmbeddedChannel())
    let subscriber = Subscriber(
      of: Set(Dataset.allCases), subscription: nil, pushes: .none, connection: connection)
    for number in 1...10_000 {
      subscriber.send(
        Notice(
          source: "", dataset: .reports, since: UInt64(number - 1), count: UInt64(number),
          missed: .changed([])))
    }
    subscriber.finish()
    var waiting = 0
    for await _ in subscriber.items { waiting += 1 }
    #expect(waiting == 64)
    #expect(subscriber.wrote() && !subscriber.wrote())
  }
}
