internal import Hummingbird
internal import MusterInterchange
internal import MusterNode

/// Why a request was not carried out, as RFC 9457 has it.
struct Problem: Error, Hashable {
  let status: HTTPResponse.Status
  /// For the person who asked: what is wrong, or what to do.
  let detail: String
  /// Where in the body it is wrong (RFC 6901), or which parameter.
  let place: String?
  /// The methods that there are, where another was used.
  let allowed: [String]

  init(
    _ status: HTTPResponse.Status, _ detail: String, at place: String? = nil,
    allowed: [String] = []
  ) {
    (self.status, self.detail, self.place, self.allowed) = (status, detail, place, allowed)
  }

  /// What the node refused.
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

  /// What the node threw.
  init(refusing error: any Error) {
    guard case .refused(let reason, let kind) = Reply.refused(error) else {
      self.init(.serviceUnavailable, "\(error)")
      return
    }
    self.init(reason, kind)
  }

  var answer: Answer {
    var document: [String: JSON] = [
      "type": .string("about:blank"), "title": .string(status.reasonPhrase),
      "status": .count(status.code), "detail": .string(detail),
    ]
    if let place { document["place"] = .string(place) }
    var answer = Answer(
      status, JSON.object(document), type: "application/problem+json")
    if !allowed.isEmpty { answer.headers[.allow] = allowed.joined(separator: ", ") }
    if status == .serviceUnavailable { answer.headers[.retryAfter] = "1" }
    return answer
  }
}
