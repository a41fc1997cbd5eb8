import MusterModel
import Testing

@testable import MusterAmazon

/// Signature Version 4: vectors of the published test suite (`get-vanilla` and others), and of
/// botocore's signer for paths and queries of this service.
@Suite struct `Signatures of requests` {
  private static let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
  private static let date = "20150830T123600Z"
  private static let signedAt = Timestamp(milliseconds: 1_440_938_160_000)

  private struct Vector: Sendable {
    let name: String
    var method = "GET"
    var path = "/"
    var query = ""
    var host = "example.amazonaws.com"
    var more: [String: String] = [:]
    var body = ""
    var scope = "us-east-1/service"
    let signature: String

    var header: String {
      let names = (["host", "x-amz-date"] + more.keys).sorted().joined(separator: ";")
      return "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/\(scope)/aws4_request, "
        + "SignedHeaders=\(names), Signature=\(signature)"
    }

    func request(date: String = `Signatures of requests`.date) -> AmazonRequest {
      AmazonRequest(
        method: method, path: path, query: query,
        headers: [("Host", host), ("X-Amz-Date", date)]
          + more.map { (name: $0.key, value: $0.value) },
        body: Array(body.utf8))
    }
  }

  private static let published = [
    Vector(
      name: "get-vanilla",
      signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    Vector(
      name: "get-vanilla-query-order-key-case", query: "Param2=value2&Param1=value1",
      signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    Vector(
      name: "post-vanilla", method: "POST",
      signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
  ]

  private static let ofService = [
    Vector(
      name: "an id with an accent", method: "PUT",
      path: "/geofencing/v0/collections/C/geofences/Jo%C3%A3o-1", host: "127.0.0.1:7480",
      more: ["content-type": "application/json"], body: "{\"a\": 1}", scope: "eu-west-1/geo",
      signature: "606ee447c67448e2d7bf4becc057b888fa6bed2631e2c5fa86e5d12d1ff137e4"),
    Vector(
      name: "an ARN and a repeated parameter", method: "DELETE",
      path: "/tags/arn%3Aaws%3Ageo%3Ax%3A1%3Atracker%2FT", query: "tagKeys=b%20c&tagKeys=a",
      host: "127.0.0.1:7480", scope: "eu-west-1/geo",
      signature: "ddea406df9964a3a63af97e62e6b7c569c852b3edfd9913e17da0c7de829c183"),
  ]

  @Test(arguments: published)
  private func `a published vector has the published signature`(vector: Vector) throws {
    let signature = try SignatureV4(vector.header)
    let canonical = try signature.canonicalRequest(
      vector.request(),
      bodyHash: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    let expected = signature.expected(of: canonical, date: Self.date, by: Self.secret)
    #expect(expected == vector.signature, "\(vector.name)")
  }

  @Test(arguments: ofService)
  private func `a request that botocore signed is accepted`(vector: Vector) throws {
    try SignatureV4(vector.header).verify(
      vector.request(), to: "geo", by: Self.secret, now: Self.signedAt)
  }

  @Test func `any change of a signed request is rejected`() throws {
    let good = Self.ofService[0]
    var changes = [good, good, good, good, good]
    changes[0].method = "POST"
    changes[1].path = "/geofencing/v0/collections/D/geofences/Jo%C3%A3o-1"
    changes[2].query = "a=b"
    changes[3].body = "{\"a\": 2}"
    changes[4].host = "other.example"
    for changed in changes {
      let fault = #expect(throws: ServiceFault.self) {
        try SignatureV4(good.header).verify(
          changed.request(), to: "geo", by: Self.secret, now: Self.signedAt)
      }
      #expect(fault?.kind == .badSignature && fault?.status == 403)
    }
    #expect(throws: ServiceFault.self) {
      try SignatureV4(good.header).verify(
        good.request(), to: "geo", by: "another", now: Self.signedAt)
    }
    // Published vectors are signed for another service.
    #expect(throws: ServiceFault.self) {
      try SignatureV4(Self.published[0].header).verify(
        Self.published[0].request(), to: "geo", by: Self.secret, now: Self.signedAt)
    }
  }

  @Test func `a date within 15 minutes is accepted, and the message names this clock`() throws {
    let vector = Self.ofService[1]
    for minutes in [-15, 15] {
      let now = Timestamp(milliseconds: Self.signedAt.milliseconds + Int64(minutes) * 60_000)
      try SignatureV4(vector.header).verify(vector.request(), to: "geo", by: Self.secret, now: now)
    }
    for (minutes, words) in [
      (16, "Signature expired: 20150830T123600Z is now earlier than 20150830T123700Z"),
      (-16, "Signature not yet current: 20150830T123600Z is still later than 20150830T123500Z"),
    ] {
      let now = Timestamp(milliseconds: Self.signedAt.milliseconds + Int64(minutes) * 60_000)
      let fault = #expect(throws: ServiceFault.self) {
        try SignatureV4(vector.header).verify(
          vector.request(), to: "geo", by: Self.secret, now: now)
      }
      #expect(fault?.message.hasPrefix(words) == true)
      #expect(fault?.type == "InvalidSignatureException")
    }
  }

  @Test(arguments: ["2015083", "20150829", "2015083000"])
  func `a credential of another day is rejected`(day: String) throws {
    let vector = Self.ofService[0]
    let header = vector.header.replacing("/20150830/", with: "/\(day)/")
    let fault = #expect(throws: ServiceFault.self) {
      try SignatureV4(header).verify(
        vector.request(), to: "geo", by: Self.secret, now: Self.signedAt)
    }
    #expect(fault?.kind == .incompleteSignature)
  }

  @Test(arguments: ["UNSIGNED-PAYLOAD", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", ""])
  func `a body that is not hashed is rejected`(hash: String) throws {
    var vector = Self.ofService[0]
    let header = vector.header
    vector.more["x-amz-content-sha256"] = hash
    let fault = #expect(throws: ServiceFault.self) {
      try SignatureV4(header).verify(
        vector.request(), to: "geo", by: Self.secret, now: Self.signedAt)
    }
    #expect(fault?.kind == .badSignature)
  }

  @Test(arguments: [
    "", "Bearer abc", "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256 Credential=a",
    "AWS4-HMAC-SHA256 Credential=a/b/c/geo/aws4_request, SignedHeaders=host, Signature=0",
    "AWS4-HMAC-SHA256 Credential=a/b/c/geo/aws4_request, SignedHeaders=x-amz-date;host, "
      + "Signature=0",
    "AWS4-HMAC-SHA256 Credential=a/b/c/geo/other, SignedHeaders=host;x-amz-date, Signature=0",
    "AWS4-HMAC-SHA256 Signature=0, Signature=1, SignedHeaders=host;x-amz-date",
  ])
  func `an incomplete header is rejected`(header: String) {
    let fault = #expect(throws: ServiceFault.self) { try SignatureV4(header) }
    #expect(fault?.kind == .incompleteSignature)
  }

  @Test func `paths and queries become canonical`() {
    #expect(SignatureV4.canonicalPath("/a//b/./c/../d/") == "/a/b/d/")
    #expect(SignatureV4.canonicalPath("/../") == "/")
    #expect(SignatureV4.canonicalPath("/a%2Fb") == "/a%252Fb")
    #expect(SignatureV4.canonicalQuery("b&a=2&a=1&c=%2f") == "a=1&a=2&b=&c=%2F")
    #expect(PercentCoding.decoded("%e2%82%ac") == "€")
    for broken in ["%", "%a", "%zz", "%ff"] { #expect(PercentCoding.decoded(broken) == nil) }
  }
}
