import MusterInterchange
import MusterModel
import Testing

@testable import MusterHTTP

@Suite struct `Reading over HTTP` {
  private static let school: JSON = .object([
    "name": .string("School"), "kind": .string("muster"),
    "circle": .object([
      "lat": .real(46.5), "lon": .real(7.5), "radiusMetres": .count(100),
    ]),
  ])

  @Test func `a node whose disk is almost full is not ready`() {
    #expect(Readiness.fault(freeBytes: nil) == nil)
    #expect(Readiness.fault(freeBytes: 100 << 20) == nil)
    #expect(Readiness.fault(freeBytes: 99 << 20)?.contains("99 MiB are free") == true)
    #expect(Readiness.fault(freeBytes: 0) != nil)
  }

  /// Writes at least one row of every kind.
  private static func fill(_ web: WebStage) async throws -> (report: String, fence: String) {
    let report = try await web.make(
      "/api/v1/reports",
      .object([
        "title": .string("Gas \"smell\" <b>"), "severity": .count(4), "lat": .real(46.5),
        "lon": .real(-7.25), "category": .string("chemical"),
      ]))
    let fence = try await web.make("/api/v1/fences", school)
    let here = "{\"lat\":46.5,\"lon\":7.5,\"accuracyMetres\":5}"
    #expect(try await web.status("POST", "/api/v1/me/position", here) == 204)
    let safe = "{\"safety\":\"safe\",\"note\":\"at school\"}"
    #expect(try await web.status("PUT", "/api/v1/me/safety", safe) == 204)
    _ = try await web.make(
      "/api/v1/directives",
      .object([
        "kind": .string("message"), "text": .string("Gas in the valley"),
        "users": .strings(["Anna"]), "deadlineSeconds": .count(600),
      ]))
    let plume: JSON = .object([
      "name": .string("Plume"), "kind": .string("hazard"),
      "circle": .object(["lat": .real(40), "lon": .real(7.5), "radiusMetres": .count(100)]),
    ])
    let hazard = try await web.make("/api/v1/fences", plume)
    _ = try await web.make(
      "/api/v1/permits",
      .object([
        "zone": .string(hazard), "users": .strings(["Anna"]), "durationSeconds": .count(600),
      ]))
    let roster = "name;phone\nRosa;+351 912 345 678\n"
    #expect(try await web.status("POST", "/api/v1/roster", roster) == 200)
    _ = try await web.make(
      "/api/v1/contacts",
      .object([
        "name": .string("Fire station"), "phone": .string("112"), "lat": .real(46.5),
        "lon": .real(7.25),
      ]))
    try await web.node.raiseUnverifiedCall(
      UnverifiedCall(
        credential: "token", name: "Rui", address: "10.0.0.7", note: "", position: nil,
        madeAt: nil))
    let timer: JSON = .object([
      "durationSeconds": .count(600), "repeats": .bool(true), "users": .strings(["Anna"]),
    ])
    #expect(try await web.status("POST", "/api/v1/checkins", timer.text) == 200)
    let hook = "{\"url\":\"http://127.0.0.1:1/\"}"
    #expect(try await web.status("PUT", "/api/v1/webhooks/Anna", hook) == 200)
    let words = Array("Otto's words".utf8)
    try LoginFile(in: web.folder).add(
      Login(name: "Otto", rights: .observer, passphrase: words, cost: .minimum))
    return (report, fence)
  }

  @Test func `every response has the documented shape`() async throws {
    try await WebStage.run { web in
      let (report, fence) = try await Self.fill(web)
      for route in API.routes where route.method == .get {
        guard case .json(let shape) = route.result, !route.path.contains("{name}") else { continue }
        var path = route.path
        if path.contains("{id}") {
          let set = path.split(separator: "/")[2]
          guard set != "subscriptions" else { continue }
          let directive = try await web.get("/api/v1/directives").items[0]["id"].word ?? ""
          let ids = [
            "reports": report, "fences": fence, "directives": directive, "{id}": "reports",
          ]
          path = path.replacing("{id}", with: ids[String(set)] ?? "Anna")
        }
        if path.hasSuffix("point-in-fences") { path += "?lat=46.5&lon=7.5" }
        if path.hasSuffix("history") { path += "?at=2026-01-01T00:00:00Z" }
        if path.hasSuffix("history/events") { path += "?from=2000-01-01T00:00:00Z" }
        let answer = try await web.get(path)
        #expect(throws: Never.self, "\(path): \(answer.text)") {
          try shape.check(answer, at: path)
        }
        let mayBeEmpty = [
          "peers", "mesh", "alerts", "subscriptions", "quarantine", "failed", "council", "photos",
          "proximity/devices", "proximity/sessions", "proximity/review", "maps", "sync/records",
          "invitations",
        ].contains { path.hasSuffix($0) }
        if answer.members?["items"] != nil {
          #expect(!answer.items.isEmpty || mayBeEmpty, "\(path)")
        }
      }
    }
  }

  /// The node of these tests has no address at which a device could join, so it makes no invite.
  @Test(arguments: InviteSummary.State.allCases)
  func `an invite has the documented shape`(state: InviteSummary.State) throws {
    let shape = try #require(Components.shape("Invite"))
    for user in [nil, UserID(raw: Bytes16(high: 1, low: 2))] {
      let json = InviteSummary(
        id: InviteID(raw: Bytes16(high: 3, low: 4)), role: .member, user: user, usesLeft: 5,
        createdAt: Timestamp(milliseconds: 0), expiresAt: Timestamp(milliseconds: 7000),
        state: state, devices: [DeviceID(raw: Bytes16(high: 5, low: 6))]
      ).json
      #expect(throws: Never.self, "\(json.text)") { try shape.check(json, at: "invite") }
    }
  }

  @Test func `a link has the documented shape, and its age is never negative`()
    throws
  {
    let shape = try #require(Components.shape("Link"))
    let one = DeviceID(raw: Bytes16(high: 1, low: 2))
    for (path, frames) in [(NeighbourPath.multicast, UInt64?.some(9)), (.uplink, nil)] {
      let link = MeshLink(
        from: one, fromCallsign: "Ben", to: DeviceID(raw: .zero), toCallsign: "<b>", path: path,
        since: Timestamp(milliseconds: .min), reportedAt: Timestamp(milliseconds: 7000),
        isMutual: true, isCurrent: false, behindFrames: frames)
      for (now, age) in [(7000, 0), (5000, 0), (9999, 2)] as [(Int64, Int64)] {
        let json = link.json(now: Timestamp(milliseconds: now))
        #expect(throws: Never.self, "\(json.text)") { try shape.check(json, at: "link") }
        #expect(json["ageSeconds"] == .integer(age))
      }
      let future = link.json(now: Timestamp(milliseconds: .max))
      #expect(throws: Never.self) { try shape.check(future, at: "link") }
    }
  }

  @Test func `rows equal those of the command line`() async throws {
    try await WebStage.run { web in
      let (report, fence) = try await Self.fill(web)
      guard case .reports(let reports) = await web.node.perform(.reports),
        case .fences(let fences) = await web.node.perform(.fences)
      else { throw Failed("no rows") }
      let byID = fences.sorted { "\($0.id)" < "\($1.id)" }
      #expect(try await web.get("/api/v1/reports").items == reports.map(\.json))
      #expect(try await web.get("/api/v1/fences").items == byID.map(\.json))
      #expect(try await web.get("/api/v1/reports/\(report.prefix(6))") == reports[0].detailsJSON)
      #expect(try await web.get("/api/v1/fences/\(fence)")["inside"] == .strings(["Anna"]))
      let user = try await web.get("/api/v1/users/Anna")
      #expect(user["safety"].word == "safe" && user["lat"] == .number("46.5"))
      #expect(try await web.get("/api/v1/tracks/Anna").items.count == 1)
      #expect(try await web.get("/api/v1/events").items[0]["type"].word == "ENTER")
    }
  }

  @Test func `map programs get flat properties, and the operation as KML`() async throws {
    try await WebStage.run { web in
      _ = try await Self.fill(web)
      for feed in ["members", "reports", "fences"] {
        let features = try await web.get("/api/v1/\(feed).geojson")["features"].elements ?? []
        #expect(!features.isEmpty)
        for properties in features.compactMap({ $0["properties"].members }) {
          #expect(properties["name"]?.word?.isEmpty == false && properties["muster"] != nil)
          #expect(properties.values.allSatisfy { $0.elements == nil && $0.members == nil })
          #expect(feed == "fences" || properties["severity"] != nil)
        }
      }
      let kml = try await web.client.ask("GET", "/api/v1/operation.kml")
      #expect(kml.status == 200)
      #expect(kml.body.contains("<Folder><name>People</name>\n<Placemark><name>Anna</name>"))
    }
  }

  @Test func `the box of a track across the antimeridian is narrow`() throws {
    let track = [179.95, 179.99, -179.97, -179.93].compactMap {
      Coordinate(latitude: -16.8, longitude: $0)
    }
    let box = Box(around: [track])
    #expect(box.west == 1_799_500_000 && box.east == -1_799_300_000)
    #expect(try !box.meets(Box(parsing: "0,-20,10,-10")))
    #expect(try box.meets(Box(parsing: "179,-20,-179,-10")))
  }

  @Test func `features are selected by a box, across the antimeridian too`() async throws {
    try await WebStage.run { web in
      for (title, longitude) in [("west", -179.9), ("east", 179.9), ("here", 7.0)] {
        _ = try await web.make(
          "/api/v1/reports",
          .object(["title": .string(title), "lat": .real(10), "lon": .real(longitude)]))
      }
      _ = try await web.make("/api/v1/reports", .object(["title": .string("nowhere")]))
      func titles(_ query: String) async throws -> [String] {
        try await web.get("/api/v1/reports.geojson" + query)["features"].elements?.compactMap {
          $0["properties"]["title"].word
        }.sorted() ?? []
      }
      #expect(try await titles("") == ["east", "here", "west"])
      #expect(try await titles("?bbox=0,0,20,20") == ["here"])
      #expect(try await titles("?bbox=179,0,-179,20") == ["east", "west"])
      #expect(try await titles("?bbox=0,-20,20,0").isEmpty)
      for bad in ["1,2,3", "a,b,c,d", "0,91,1,92", "0,2,1,1", ""] {
        #expect(
          [400, 422].contains(try await web.status("GET", "/api/v1/fences.geojson?bbox=\(bad)")))
      }
    }
  }

  @Test func `pages contain every row once`() async throws {
    try await WebStage.run { web in
      var made: Set<String> = []
      for number in 0..<23 {
        made.insert(
          try await web.make("/api/v1/reports", .object(["title": .string("R\(number)")])))
      }
      var seen: [String] = []
      var cursor: String? = nil
      repeat {
        let query = "?limit=5" + (cursor.map { "&cursor=\($0)" } ?? "")
        let page = try await web.get("/api/v1/reports" + query)
        #expect(page.items.count <= 5)
        seen += page.items.compactMap { $0["id"].word }
        cursor = page["next"].word
      } while cursor != nil
      #expect(seen.count == 23 && Set(seen) == made)
      #expect(try await web.status("GET", "/api/v1/reports?limit=0") == 400)
      #expect(try await web.status("GET", "/api/v1/reports?limit=1&limit=2") == 400)
      #expect(try await web.status("GET", "/api/v1/reports?colour=red") == 400)
    }
  }

  @Test func `a write is visible in every read after its reply`() async throws {
    try await WebStage.run { web in
      for number in 1...30 {
        _ = try await web.make("/api/v1/reports", .object(["title": .string("R\(number)")]))
        #expect(try await web.get("/api/v1/status")["reports"] == .count(number))
        #expect(try await web.get("/api/v1/reports").items.count == number)
      }
    }
  }

  @Test func `metrics are in the Prometheus format`() async throws {
    try await WebStage.run { web in
      let answer = try await web.client.ask("GET", "/metrics")
      #expect(answer.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
      let line = /(# (HELP|TYPE) muster_[a-z_]+ .+|muster_[a-z_]+({[a-z]+="[^"]*"})? [0-9]+)/
      for text in answer.body.split(separator: "\n") {
        #expect(text.wholeMatch(of: line) != nil, "\(text)")
      }
      #expect(answer.body.contains("muster_users 1\n"))
    }
  }

  @Test func `the document names every route, and no other`() async throws {
    try await WebStage.run { web in
      let document = try await web.get("/openapi.json")
      #expect(document["openapi"].word == "3.1.0")
      let paths = document["paths"].members ?? [:]
      #expect(Set(paths.keys) == Set(API.routes.map(\.path)))
      let names = document["components"]["schemas"].members ?? [:]
      for part in document.text.split(separator: "#/components/schemas/").dropFirst() {
        #expect(names[String(part.prefix { $0 != "\"" })] != nil)
      }
      var operations: Set<String> = []
      for operation in paths.values.flatMap({ $0.members.map { Array($0.values) } ?? [] }) {
        #expect(operations.insert(operation["operationId"].word ?? "").inserted)
      }
    }
  }
}
