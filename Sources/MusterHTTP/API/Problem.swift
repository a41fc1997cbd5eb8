internal import Hummingbird
internal import MusterInterchange
internal import MusterNode

/// Why a request failed, as a problem document (RFC 9457).
struct Problem: Error, Hashable {
  /// What a page does about it: most problems need no type.
  enum Kind: String {
    case blank = "about:blank"
    /// The page asks for the passphrase and sends the request again.
    case locked = "urn:muster:problem:locked"
    case loginExpired = "urn:muster:problem:login-expired"
    case loginRemoved = "urn:muster:problem:login-removed"
  }

  let type: Kind
  let status: HTTPResponse.Status
  /// For the user: what is wrong, or what to do.
  let detail: String
  /// Where in the body the fault is (RFC 6901), or in which parameter.
  let place: String?
  /// The allowed methods, after a request with another one.
  let allowed: [String]
  /// The row as it is, after a write of another version of it.
  let current: JSON?
  /// When the client may send the request again.
  private let retrySeconds: Int64?

  init(
    _ status: HTTPResponse.Status, _ detail: String, at place: String? = nil,
    allowed: [String] = [], current: JSON? = nil, type: Kind = .blank
  ) {
    self.type = type
    (self.status, self.detail, self.place, self.allowed) = (status, detail, place, allowed)
    self.current = current
    retrySeconds = status == .serviceUnavailable ? 1 : nil
  }

  /// Too many requests of one client.
  init(_ detail: String, waiting pause: Duration) {
    let (seconds, rest) = pause.components
    let wait = max(1, rest > 0 ? seconds + 1 : seconds)
    type = .blank
    (status, self.detail) = (.tooManyRequests, "\(detail): wait \(wait) s")
    (place, allowed, current, retrySeconds) = (nil, [], nil, wait)
  }

  /// A rejection by the node.
  init(_ reason: String, _ kind: RefusalKind) {
    let status: HTTPResponse.Status =
      switch kind {
      case .unfit: .unprocessableContent
      case .unknown: .notFound
      case .notAllowed: .forbidden
      case .changed: .preconditionFailed
      case .notNow: .serviceUnavailable
      }
    self.init(status, reason)
  }

  /// An error that the node threw.
  init(refusing error: any Error) {
    guard case .refused(let reason, let kind) = Reply.refused(error) else {
      self.init(.serviceUnavailable, "\(error)")
      return
    }
    self.init(reason, kind)
  }

  var answer: Answer {
    var document: [String: JSON] = [
      "type": .string(type.rawValue), "title": .string(status.reasonPhrase),
      "status": .count(status.code), "detail": .string(detail),
    ]
    if let place { document["place"] = .string(place) }
    if let current { document["current"] = current }
    var answer = Answer(
      status, JSON.object(document), type: "application/problem+json")
    // RFC 9110 12.5.3.
    if status == .unsupportedMediaType, place == Request.contentCoding {
      answer.headers[.acceptEncoding] = "gzip"
    }
    if !allowed.isEmpty { answer.headers[.allow] = allowed.joined(separator: ", ") }
    if let retrySeconds { answer.headers[.retryAfter] = "\(retrySeconds)" }
    return answer
  }
}

extension Answer {
  /// Returns the answer, or the problem document of what was thrown.
  static func orProblem(_ work: () async throws -> Answer) async -> Answer {
    do {
      return try await work()
    } catch let problem as Problem {
      return problem.answer
    } catch {
      return Problem(refusing: error).answer
    }
  }
}
