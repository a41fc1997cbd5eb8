import MusterInterchange
import MusterModel
import Testing

@testable import MusterHTTP

@Suite struct `Layers by OGC API – Features` {
  private static let items = "/ogc/collections/reports/items"

  private static func report(_ web: WebStage, _ title: String, lat: Double) async throws {
    _ = try await web.make(
      "/api/v1/reports",
      .object(["title": .string(title), "lat": .real(lat), "lon": .real(-7.5)]))
  }

  private static func names(_ answer: JSON) -> [String] {
    (answer["features"].elements ?? []).compactMap { $0["properties"]["name"].word }
  }

  private static func next(_ answer: JSON) -> String? {
    answer["links"].elements?.first { $0["rel"].word == "next" }?["href"].word
  }

  @Test func `a client finds each layer by links alone, from the landing page`() async throws {
    try await WebStage.run { web in
      let origin = "http://127.0.0.1:\(web.port)"
      func path(_ link: JSON) -> String {
        String((link["href"].word ?? "").dropFirst(origin.utf8.count))
      }
      func follow(_ answer: JSON, _ rel: String) async throws -> JSON {
        let link = try #require(answer["links"].elements?.first { $0["rel"].word == rel })
        #expect(link["href"].word?.hasPrefix(origin) == true)
        return try await web.get(path(link))
      }
      let landing = try await web.get("/ogc")
      #expect(landing["title"] == .string("Ridge"))
      #expect(try await follow(landing, "service-desc")["openapi"].word != nil)
      let classes = try await follow(landing, "conformance")["conformsTo"].elements ?? []
      #expect(classes.contains { $0.word?.hasSuffix("conf/geojson") == true })
      let collections = try await follow(landing, "data")["collections"].elements ?? []
      #expect(
        collections.compactMap { $0["id"].word }
          == ["members", "reports", "fences", "events", "tracks"])
      for collection in collections {
        #expect(try await follow(collection, "self") == collection)
        #expect(try await follow(collection, "items")["type"] == .string("FeatureCollection"))
      }
    }
  }

  @Test func `pages together have each feature once, and each is found by its id`() async throws {
    try await WebStage.run { web in
      for n in 0..<7 { try await Self.report(web, "R\(n)", lat: 40 + Double(n)) }
      var names: [String] = []
      var path: String? = Self.items + "?limit=3"
      var pages = 0
      while let here = path {
        let page = try await web.get(here)
        names += Self.names(page)
        for feature in page["features"].elements ?? [] {
          let id = try #require(feature["id"].word)
          #expect(try await web.get(Self.items + "/" + id) == feature)
        }
        #expect(page["numberReturned"] == .count(page["features"].elements?.count ?? 0))
        path = Self.next(page)?.replacing("http://127.0.0.1:\(web.port)", with: "")
        pages += 1
      }
      #expect(names.sorted() == (0..<7).map { "R\($0)" })
      #expect(pages == 3)
    }
  }

  @Test func `bbox and datetime select features`() async throws {
    try await WebStage.run { web in
      for n in 0..<4 { try await Self.report(web, "R\(n)", lat: 40 + Double(n)) }
      func names(_ query: String) async throws -> [String] {
        Self.names(try await web.get(Self.items + "?" + query)).sorted()
      }
      for box in [
        "-8,40.5,-7,42.5", "-8e0,4.05e+1,-7.,42.5", "-8,40.5,-100,-7,42.5,1e4",
        "-8,40.5,-1e-05,42.5",
      ] {
        let found = try await names("bbox=" + box.replacing("+", with: "%2B"))
        #expect(found == ["R1", "R2"], "\(box)")
      }
      for limit in ["10001", "1e4", "1e30", "9223372036854775808"] {
        #expect(try await names("limit=\(limit)").count == 4)
      }
      #expect(try await names("datetime=../2000-01-01T00:00:00Z").isEmpty)
      #expect(try await names("datetime=2000-01-01T00:00:00Z/..").count == 4)
      #expect(try await names("datetime=2000-01-01T00:00:00Z").isEmpty)
      #expect(try await names("datetime=/2999-01-01T00:00:00Z&bbox=-8,40.5,-7,41.5") == ["R1"])
    }
  }

  @Test func `HEAD is answered like GET, without a body`() async throws {
    try await WebStage.run { web in
      for path in ["/healthz", "/readyz", "/", "/api/v1/status", Self.items, "/openapi.json"] {
        let (get, head) = (
          try await web.client.ask("GET", path), try await web.client.ask("HEAD", path)
        )
        #expect((head.status, head.body) == (get.status, ""), "\(path)")
        #expect(head.headers["content-type"] == get.headers["content-type"])
      }
      #expect(try await web.status("HEAD", "/api/v1/stream") == 405)
      #expect(try await web.status("HEAD", "/api/v1/nothing") == 404)
    }
  }

  @Test func `CR LF in a text is stored as a line feed`() async throws {
    try await WebStage.run { web in
      let id = try await web.make(
        "/api/v1/reports",
        .object([
          "title": .string("Road closed"), "description": .string("Tree down.\r\nNo trucks."),
          "lat": .real(46.5), "lon": .real(7.5),
        ]))
      let report = try await web.get("/api/v1/reports/\(id)")
      #expect(report["description"] == .string("Tree down.\nNo trucks."))
    }
  }

  @Test func `an entry into a zone and the track are features`() async throws {
    try await WebStage.run { web in
      _ = try await web.make(
        "/api/v1/fences",
        .object([
          "name": .string("School"), "kind": .string("muster"),
          "circle": .object(["lat": .real(46.5), "lon": .real(7.5), "radiusMetres": .count(100)]),
        ]))
      for lat in ["46.51", "46.5"] {
        let fix = "{\"lat\":\(lat),\"lon\":7.5,\"accuracyMetres\":5}"
        #expect(try await web.status("POST", "/api/v1/me/position", fix) == 204)
      }
      let events = try await web.get("/ogc/collections/events/items")
      #expect(Self.names(events) == ["Anna ENTER School"])
      let entry = try #require(events["features"].elements?.first)
      let id = try #require(entry["id"].word)
      #expect(try await web.get("/ogc/collections/events/items/" + id) == entry)
      let unknown = String(repeating: "0", count: 32)
      #expect(try await web.status("GET", "/ogc/collections/events/items/" + unknown) == 404)
      let track = try await web.get("/ogc/collections/tracks/items")["features"].elements?.first
      #expect(track?["geometry"]["coordinates"].elements?.count == 2)
    }
  }

  @Test func `a tracker whose callsign is the id of a person does not stand in for them`()
    async throws
  {
    try await WebStage.run { web in
      let anna = try await web.get("/api/v1/users/Anna")["id"].word ?? ""
      #expect(try await web.status("GET", "/?id=\(anna)&lat=-33&lon=151") == 200)
      #expect(try await web.get("/api/v1/users/\(anna)")["callsign"] == .string("Anna"))
      let features = try await web.get("/ogc/collections/tracks/items")["features"].elements ?? []
      #expect(features.count == 1 && features[0]["id"].word != anna)
      #expect(try await web.status("GET", "/ogc/collections/tracks/items/\(anna)") == 404)
      #expect(try await web.get("/api/v1/tracks/\(anna)").items.isEmpty)
    }
  }

  @Test(arguments: [
    ("collections/pets", 404), ("collections/pets/items", 404),
    ("collections/reports/items/00", 404), ("collections/events/items/00", 404),
    ("collections/reports/items?limit=0", 400),
    ("collections/reports/items?limit=1.5", 400), ("collections/reports/items?limit=-1e30", 400),
    ("collections/reports/items?bbox=1,2,3,4,5", 400), ("collections/reports/items?bbox=1,2", 400),
    ("collections/reports/items?datetime=yesterday", 400),
    ("collections/reports/items?datetime=..%2F..%2F..", 400),
    ("collections/reports/items?datetime=2020-01-02T00:00:00Z/2020-01-01T00:00:00Z", 400),
    ("collections/events/items?cursor=x", 400), ("collections/reports/items?crs=x", 400),
  ])
  func `a malformed request gets a problem document`(path: String, status: Int) async throws {
    try await WebStage.run { web in
      let answer = try await web.client.ask("GET", "/ogc/" + path)
      #expect(answer.status == status, "\(answer)")
      #expect(answer.json["detail"].word != nil)
    }
  }
}
