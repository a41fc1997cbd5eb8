internal import MusterModel
internal import MusterTransport

/// The signature of a request (AWS Signature Version 4, in the `Authorization` header).
///
///     method, path, query, signed headers, hash of the body ─▶ canonical request
///     algorithm, date, scope, hash of the canonical request ─▶ string to sign
///     secret, date, region, service ─▶ key ─▶ HMAC-SHA256 ─▶ signature
///
/// The body is always hashed here, whatever `x-amz-content-sha256` states: an unsigned body is
/// rejected. A request is valid for 15 minutes before and after its date.
struct SignatureV4 {
  static let algorithm = "AWS4-HMAC-SHA256"
  static let mostSkewMilliseconds: Int64 = 15 * 60_000
  private static let terminator = "aws4_request"
  /// Without them the signature covers too little.
  private static let required: Set = ["host", "x-amz-date"]

  /// The id of the access key.
  let keyID: String
  private let day: String
  private let region: String
  private let service: String
  private let signedHeaders: [String]
  private let signature: String

  /// Parses the header. Throws for anything but a complete signature of this service.
  init(_ header: String) throws(ServiceFault) {
    let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0] == Self.algorithm else {
      throw Self.incomplete("the algorithm must be \(Self.algorithm)")
    }
    var values: [Substring: Substring] = [:]
    for part in parts[1].split(separator: ",") {
      let pair = part.drop { $0 == " " }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, values.updateValue(pair[1], forKey: pair[0]) == nil else {
        throw Self.incomplete("write Credential=…, SignedHeaders=…, Signature=…")
      }
    }
    guard let credential = values["Credential"]?.split(separator: "/"), credential.count == 5,
      let headers = values["SignedHeaders"]?.split(separator: ";").map(String.init),
      let signature = values["Signature"], credential[4] == Self.terminator
    else {
      throw Self.incomplete(
        "it needs Credential=KEY/DATE/REGION/SERVICE/\(Self.terminator), SignedHeaders "
          + "and Signature")
    }
    guard headers == headers.sorted(), Set(headers).count == headers.count,
      Self.required.isSubset(of: headers)
    else {
      throw Self.incomplete("SignedHeaders must be sorted and contain host and x-amz-date")
    }
    keyID = String(credential[0])
    (day, region) = (String(credential[1]), String(credential[2]))
    service = String(credential[3])
    signedHeaders = headers
    self.signature = String(signature)
  }

  private static func incomplete(_ reason: String) -> ServiceFault {
    ServiceFault(.incompleteSignature, "the Authorization header is incomplete: \(reason)")
  }

  // MARK: Verification

  /// Verifies the signature and the date of a request. Throws if either is wrong.
  ///
  /// - Parameters:
  ///   - service: the service that the request is for, as scopes of credentials name it.
  ///   - now: this device's wall clock.
  func verify(
    _ request: AmazonRequest, to service: String, by secret: String, now: Timestamp
  ) throws(ServiceFault) {
    guard self.service == service else {
      throw ServiceFault(
        .badSignature, "Credential should be scoped to correct service: '\(service)'.")
    }
    guard let date = request.value(of: "x-amz-date"), let time = Self.time(date),
      date.prefix(8) == day
    else { throw Self.incomplete("x-amz-date must be YYYYMMDDTHHMMSSZ, on the credential's day") }
    try Self.check(time, date, now: now)
    let given = request.values(of: "x-amz-content-sha256")
    let hash = Hex.encode(SHA256.hash(request.body))
    guard given.allSatisfy({ $0.lowercased() == hash }) else {
      throw ServiceFault(.badSignature, "x-amz-content-sha256 is not the SHA-256 of the body.")
    }
    let canonical = try canonicalRequest(request, bodyHash: hash)
    guard Self.isSame(signature, expected(of: canonical, date: date, by: secret)) else {
      throw ServiceFault(
        .badSignature,
        "The request signature we calculated does not match the signature you provided. Check "
          + "your secret access key and signing method.")
    }
  }

  /// Rejects a date that differs too much from this clock, in the words of the service.
  private static func check(
    _ time: Timestamp, _ date: String, now: Timestamp
  ) throws(ServiceFault) {
    let difference = time.milliseconds(since: now)
    guard difference < -mostSkewMilliseconds || difference > mostSkewMilliseconds else { return }
    let isLate = difference < 0
    let bound = Timestamp(
      milliseconds: now.milliseconds + (isLate ? -mostSkewMilliseconds : mostSkewMilliseconds))
    throw ServiceFault(
      .badSignature,
      isLate
        ? "Signature expired: \(date) is now earlier than \(compact(bound)) (\(compact(now)) - "
          + "15 min.)"
        : "Signature not yet current: \(date) is still later than \(compact(bound)) "
          + "(\(compact(now)) + 15 min.)")
  }

  /// Parses `20260102T030405Z`.
  private static func time(_ text: String) -> Timestamp? {
    let digits = Array(text.utf8)
    guard digits.count == 16, digits[8] == UInt8(ascii: "T"), digits[15] == UInt8(ascii: "Z")
    else { return nil }
    func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
    let day = [part(0..<4), part(4..<6), part(6..<8)].joined(separator: "-")
    let hour = [part(9..<11), part(11..<13), part(13..<15)].joined(separator: ":")
    return Timestamp(rfc3339: "\(day)T\(hour)Z")
  }

  private static func compact(_ time: Timestamp) -> String {
    let seconds = Timestamp(milliseconds: time.milliseconds / 1000 * 1000)
    return seconds.description.filter { $0 != "-" && $0 != ":" }
  }

  func expected(of canonical: String, date: String, by secret: String) -> String {
    let scope = [day, region, service, Self.terminator]
    let text = [
      Self.algorithm, date, scope.joined(separator: "/"),
      Hex.encode(SHA256.hash(Array(canonical.utf8))),
    ].joined(separator: "\n")
    var key = Array("AWS4\(secret)".utf8)
    for part in scope { key = SHA256.code(of: Array(part.utf8), by: key) }
    return Hex.encode(SHA256.code(of: Array(text.utf8), by: key))
  }

  /// Compares in constant time.
  private static func isSame(_ given: String, _ expected: String) -> Bool {
    let (given, expected) = (Array(given.utf8), Array(expected.utf8))
    var difference = given.count ^ expected.count
    for (index, byte) in expected.enumerated() {
      difference |= Int(byte ^ (index < given.count ? given[index] : 0))
    }
    return difference == 0
  }

  // MARK: The canonical request

  func canonicalRequest(
    _ request: AmazonRequest, bodyHash: String
  ) throws(ServiceFault) -> String {
    var headers = ""
    for name in signedHeaders {
      let values = request.values(of: name)
      guard !values.isEmpty else { throw Self.incomplete("the header \(name) is missing") }
      let trimmed = values.map {
        $0.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
      }
      headers += "\(name):\(trimmed.joined(separator: ","))\n"
    }
    return [
      request.method, Self.canonicalPath(request.path), Self.canonicalQuery(request.query),
      headers, signedHeaders.joined(separator: ";"), bodyHash,
    ].joined(separator: "\n")
  }

  /// Removes dot segments and repeated slashes, and encodes the path as it was sent once more.
  static func canonicalPath(_ path: String) -> String {
    var segments: [Substring] = []
    for segment in path.split(separator: "/") where segment != "." {
      if segment == ".." {
        _ = segments.popLast()
      } else {
        segments.append(segment)
      }
    }
    let isFolder = path.hasSuffix("/") && !segments.isEmpty
    return "/" + segments.map { encoded($0) }.joined(separator: "/") + (isFolder ? "/" : "")
  }

  /// Sorts the parameters by their encoded names and values.
  static func canonicalQuery(_ query: String) -> String {
    query.split(separator: "&").map { pair -> (String, String) in
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      func encodedAgain(_ text: Substring) -> String {
        PercentCoding.decoded(text).map { encoded($0) } ?? encoded(text)
      }
      return (encodedAgain(halves[0]), halves.count > 1 ? encodedAgain(halves[1]) : "")
    }.sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&")
  }

  /// Encodes every byte except the unreserved characters of RFC 3986.
  private static func encoded(_ text: some StringProtocol) -> String {
    PercentCoding.encoded(text)
  }
}
