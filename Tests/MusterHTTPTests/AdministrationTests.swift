import Foundation
import MusterInterchange
import MusterModel
import MusterNode
import class MusterTestKit.TemporaryFolder
import Testing

@testable import MusterHTTP

@Suite struct `Running an operation over HTTP` {
  /// Admits a device by file, and returns its id.
  private static func admit(_ callsign: String, by node: Node) async throws -> String {
    let folder = try TemporaryFolder()
    let path = folder.url.path
    let home = NodeHome.locate(
      home: path + "/home", keys: nil, environment: ["MUSTER_STATE": path + "/state"])
    let request = try Founding.request(callsign: callsign, home: home, passphrase: nil)
    guard
      case .grant = await node.perform(.admit(request: ByteString(request), role: .member)),
      case .devices(let devices) = await node.perform(.devices),
      let device = devices.first(where: { !$0.isThisDevice })
    else { throw Failed("\(callsign) was not admitted") }
    return "\(device.id)"
  }

  @Test func `a device is revoked, once, and the list shows it`() async throws {
    try await WebStage.run { web in
      let ben = try await Self.admit("Ben", by: web.node)
      let path = "/api/v1/devices/\(ben)/revoke"
      func isRevoked() async throws -> JSON {
        try await web.get("/api/v1/devices").items.first { $0["id"].word == ben }?["isRevoked"]
          ?? .null
      }
      #expect(try await isRevoked() == .bool(false))
      #expect(try await web.status("POST", path) == 204)
      #expect(try await isRevoked() == .bool(true))
      #expect(try await web.status("POST", path) == 422)
      #expect(try await web.status("POST", "/api/v1/devices/00000000/revoke") == 404)
      #expect(try await web.status("POST", "/api/v1/devices/bert/revoke") == 404)
      #expect(try await web.get("/api/v1/quarantine").items.isEmpty)
      for nothing in ["00000000", "all", "12", "\(ben)"] {
        let path = "/api/v1/quarantine/\(nothing)/release"
        #expect(try await web.status("POST", path) == 404, "\(nothing)")
      }
    }
  }

  @Test func `the key is rotated`() async throws {
    try await WebStage.run { web in
      func frames() async throws -> Int {
        guard case .status(let status) = await web.node.perform(.status) else {
          throw Failed("no status")
        }
        return status.frames
      }
      let before = try await frames()
      #expect(try await web.status("POST", "/api/v1/epoch/rotate") == 204)
      #expect(try await frames() > before)
    }
  }

  @Test func `an unusable invitation is rejected with the reason`() async throws {
    try await WebStage.run { web in
      let path = "/api/v1/invitations"
      let answer = try await web.client.ask("POST", path, body: "{}")
      #expect(answer.status == 422 && answer.body.contains("no reachable address"), "\(answer)")
      #expect(try await web.get(path)["items"].elements?.isEmpty == true)
      #expect(try await web.status("DELETE", path + "/abcd") == 404)
      for wrong in [
        "{\"uses\":0}", "{\"uses\":1001}", "{\"validSeconds\":0}", "{\"role\":\"king\"}", "[]",
        "{\"for\":\"Ben\"}",
      ] {
        #expect(try await web.status("POST", path, wrong) == 400, "\(wrong)")
      }
    }
  }

  @Test func `settings change where members are given, for all or for one user`() async throws {
    try await WebStage.run { web in
      let (all, anna) = ("/api/v1/settings", "/api/v1/users/Anna/settings")
      let before = try await web.get(all)
      #expect(before["foreground"]["readingSeconds"] == .count(5))
      let wish =
        "{\"foreground\":{\"readingSeconds\":2,\"mode\":\"coarse\"},\"silenceSeconds\":900}"
      let answer = try await web.client.ask("PATCH", all, body: wish)
      #expect(answer.status == 200)
      let after = try await web.get(all)
      #expect(answer.json == after && after["silenceSeconds"] == .count(900))
      #expect(after["foreground"]["readingSeconds"] == .count(2))
      #expect(after["foreground"]["mode"].word == "coarse")
      #expect(after["foreground"]["sendingSeconds"] == before["foreground"]["sendingSeconds"])
      #expect(after["background"] == before["background"])

      let own = "{\"background\":{\"sharesTrack\":true}}"
      #expect(try await web.status("PATCH", anna, own) == 200)
      #expect(try await web.get(anna)["background"]["sharesTrack"] == .bool(true))
      #expect(try await web.get(anna)["foreground"] == after["foreground"])
      #expect(try await web.get(all) == after)

      #expect(try await web.status("GET", "/api/v1/users/Nemo/settings") == 404)
      for wrong in [
        "{}", "{\"foreground\":{}}", "{\"foreground\":{\"readingSeconds\":0}}",
        "{\"background\":{\"distanceMetres\":10001}}", "{\"silenceSeconds\":-1}",
        "{\"foreground\":{\"mode\":\"psychic\"}}",
      ] {
        #expect(try await web.status("PATCH", all, wrong) == 400, "\(wrong)")
      }
      #expect(try await web.get(all) == after)
    }
  }

  @Test func `requires a device of command`() async throws {
    try await WebStage.run(role: .member) { web in
      guard case .devices(let devices) = await web.node.perform(.devices),
        let anna = devices.first(where: { !$0.isThisDevice })
      else { throw Failed("Anna is not known") }
      for (method, path, body) in [
        ("POST", "/api/v1/invitations", "{}"), ("GET", "/api/v1/invitations", nil),
        ("DELETE", "/api/v1/invitations/abcd", nil),
        ("POST", "/api/v1/devices/\(anna.id)/revoke", nil),
        ("POST", "/api/v1/epoch/rotate", nil), ("POST", "/api/v1/quarantine/00000000/release", nil),
        ("PATCH", "/api/v1/settings", "{\"silenceSeconds\":60}"),
      ] {
        #expect(try await web.status(method, path, body) == 403, "\(path)")
      }
      #expect(try await web.status("GET", "/api/v1/settings") == 200)
    }
  }
}
