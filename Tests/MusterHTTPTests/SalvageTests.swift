import Foundation
import Hummingbird
import MusterModel
import MusterTestKit
import Testing

@testable import MusterHTTP

/// Row E1 of the faults, for the page: what a person in danger sends is used as far as it is usable.
/// `MUSTER_VOLUME=100000` for the whole volume; `MUSTER_TEST_SEED` replays the messages of a seed.
extension `Logging in` {
  /// Members that nothing needs, as a page of another version, a program or a bad line writes them.
  private static let oddMembers = [
    "\"note\":123", "\"note\":null", "\"note\":[1]", "\"note\":\"a\\u0000b\"",
    "\"note\":\"\\ud83d\"", "\"note\":\"\\u202eabc\"", "\"note\":\"line\\u2028two\"",
    "\"note\":\"\(String(repeating: "long ", count: 30_000))\"", "\"note\":\"broken \\q\"",
    "\"accuracy\":null", "\"position\":{\"lat\":\"x\"}", "\"battery\":-1", "\"naïve\":true",
    "\"\":0", "\"version\":1e9", "\"list\":[[[]]]", "\"tab\":\"a\tb\"",
  ]
  private static let oddPlaces = [
    "\"accuracyMetres\":-1", "\"accuracyMetres\":null", "\"accuracyMetres\":\"x\"",
    "\"accuracyMetres\":1e12", "\"sampleTime\":\"yesterday\"", "\"sampleTime\":7",
    "\"heading\":null", "\"speed\":\"fast\"", "\"note\":\"\\ud83d\"",
  ]
  private static let seed = Volume.onlySeed ?? 20_261_128
  private static let volume = Volume.orUsual(300)

  /// Up to five odd members, each name at most once.
  private static func drawn(_ odd: [String], by random: inout SplitMix64) -> [String] {
    var names: Set<Substring> = []
    return odd.shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)).filter {
      names.insert($0.prefix { $0 != ":" }).inserted
    }
  }

  @Test func `a call for help and a position of the page are used, whatever else they contain`()
    async throws
  {
    try await Self.run { caller, folder in
      try LoginFile(in: folder).add(
        Login(
          name: "Rui", rights: .member, isPhone: true, passphrase: Array("Rui's words".utf8),
          cost: .minimum))
      let rui = try await caller.cookie("Rui", "Rui's words")
      var random = SplitMix64(seed: Self.seed)
      for number in 0..<Self.volume {
        let members = Self.drawn(Self.oddMembers, by: &random)
        let word = ["help", "HELP", " Help "][number % 3]
        let body =
          "{"
          + (members + ["\"safety\":\"\(word)\""]).shuffled(using: &random)
          .joined(separator: ",") + "}"
        let path = "/api/v1/me/safety" + (number % 7 == 0 ? "?from=widget&%zz" : "")
        let answer = await caller.ask(.put, path, body, cookie: rui)
        #expect(
          answer.status == .noContent,
          "\(body.prefix(400)): replay by MUSTER_TEST_SEED=\(Self.seed)")
      }
      let call = try await caller.json(ofPath: "/api/v1/me/call", cookie: rui)["call"]
      #expect(call["open"] == .bool(true))
      let age = try #require(HeaderName(RouteDescription.ageHeader))
      for odd in ["nan", "-nan", "inf", "-inf", "-3", "1e300", "0.5", "soon", ""] {
        let answer = await caller.ask(
          .put, "/api/v1/me/safety", "{\"safety\":\"help\"}", cookie: rui, [age: odd])
        #expect(answer.status == .noContent, "an age of \(odd)")
      }
      for odd in Self.oddPlaces {
        let body = "{\"lat\":46.5,\"lon\":\"7.25\",\(odd)}"
        let answer = await caller.ask(.post, "/api/v1/me/position", body, cookie: rui)
        #expect(answer.status == .noContent, "\(odd)")
      }
      let user = try #require(try await Self.person("Rui", at: caller))
      #expect(user.fix?.position == Coordinate(latitude: 46.5, longitude: 7.25))
      // What a report is about is never left out.
      for body in ["{\"safety\":7}", "{\"note\":\"x\"}", "[]", "{\"safety\":\"help\""] {
        let answer = await caller.ask(.put, "/api/v1/me/safety", body, cookie: rui)
        #expect(answer.status == .badRequest, "\(body)")
      }
    }
  }
}

@Suite struct FittingTextTests {
  @Test func `what a text may not contain is left out, and the rest is kept`() {
    let rule = TextRule.paragraphs
    #expect(rule.fitting("a\u{0}b\u{202E}c") == "abc")
    #expect(rule.fitting("one\r\ntwo\u{2028}three\tfour") == "one\ntwo\nthree\tfour")
    #expect(TextRule.line.fitting("one\ntwo") == "one two")
    for rule in [TextRule.line, .paragraphs] {
      for unit in ["x", "é", "👩‍🚒", "日"] {
        let fitting = rule.fitting(String(repeating: unit, count: 40_000))
        #expect(rule.accepts(fitting) && fitting.hasSuffix(unit))
        #expect(rule.fitting(fitting) == fitting)
      }
    }
  }
}
