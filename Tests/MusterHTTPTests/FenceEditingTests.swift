import MusterInterchange
import Testing

@testable import MusterHTTP

@Suite struct `Changing fences` {
  private static let drawn = """
    {"name":"Plume","kind":"hazard",
     "geojson":{"type":"Polygon","coordinates":[[[7.0,46.0],[7.1,46.0],[7.1,46.1],[7.0,46.0]]]}}
    """
  private static let moved = """
    {"geojson":{"type":"Feature","properties":{"name":"Other","kind":"info","active":false},
     "geometry":{"type":"Polygon","coordinates":[[[8.0,46.0],[8.1,46.0],[8.1,46.1],[8.0,46.0]]]}}}
    """

  @Test func `given members change, and the rest stays unchanged`() async throws {
    try await WebStage.run { web in
      let id = try await web.make("/api/v1/fences", JSON.read(of: Self.drawn))
      let path = "/api/v1/fences/\(id)"
      let (before, after) = (
        "/api/v1/point-in-fences?lat=46.02&lon=7.08", "/api/v1/point-in-fences?lat=46.02&lon=8.08"
      )
      #expect(try await web.get(before).items.count == 1)

      #expect(try await web.status("PATCH", path, Self.moved) == 204)
      #expect(try await web.get(before).items.isEmpty)
      let here = try await web.get(after).items
      #expect(here.map { $0["id"].word } == [id])
      // A file's properties are those of a new fence; an edit keeps the existing ones.
      #expect(here[0]["name"].word == "Plume" && here[0]["kind"].word == "hazard")
      #expect(here[0]["active"] == .bool(true))

      let circle = "{\"circle\":{\"lat\":46.5,\"lon\":9.5,\"radiusMetres\":250},\"name\":\"Spill\"}"
      #expect(try await web.status("PATCH", path, circle) == 204)
      let meant = "{\"kind\":\"muster\",\"dwellSeconds\":30}"
      #expect(try await web.status("PATCH", path, meant) == 204)
      let fence = try await web.get(path)
      #expect(fence["name"].word == "Spill" && fence["kind"].word == "muster")
      #expect(fence["radiusMetres"] == .count(250) && fence["dwellSeconds"] == .count(30))
      #expect(try await web.status("PATCH", path, "{\"dwellSeconds\":0}") == 204)
      #expect(try await web.get(path)["dwellSeconds"] == .count(0))
      #expect(try await web.get("/api/v1/fences").items.count == 1)
    }
  }

  @Test func `a stale version and invalid outlines change nothing`() async throws {
    try await WebStage.run { web in
      let id = try await web.make("/api/v1/fences", JSON.read(of: Self.drawn))
      let path = "/api/v1/fences/\(id)"
      let version = try #require(try await web.client.ask("GET", path).headers["etag"])
      let named = "{\"name\":\"Cloud\"}"
      #expect(try await web.status("PATCH", path, named, ["If-Match": version]) == 204)
      #expect(try await web.status("PATCH", path, Self.moved, ["If-Match": version]) == 412)
      let circle = "{\"lat\":46.5,\"lon\":9.5,\"radiusMetres\":250}"
      let outline = "{\"type\":\"Point\",\"coordinates\":[7,46]}"
      for (body, status) in [
        ("{}", 400), ("{\"active\":true}", 400), ("{\"circle\":{}}", 400), ("{\"name\":\"\"}", 400),
        ("{\"geojson\":\(outline)}", 422), ("{\"circle\":\(circle),\"geojson\":\(outline)}", 422),
        ("{\"dwellSeconds\":-1}", 400), ("{\"kind\":\"plume\"}", 400),
      ] {
        #expect(try await web.status("PATCH", path, body) == status, "\(body)")
      }
      let unknown = "/api/v1/fences/0123456789abcdef"
      #expect(try await web.status("PATCH", unknown, named) == 404)
      let fence = try await web.get(path)
      #expect(fence["name"].word == "Cloud" && fence["shape"].word == "polygon")
    }
  }

  @Test func `only command changes a fence`() async throws {
    try await WebStage.run(role: .member) { web in
      let status = try await web.status("PATCH", "/api/v1/fences/0123abcd", "{\"name\":\"Mine\"}")
      #expect(status == 403 || status == 404)
    }
  }
}
