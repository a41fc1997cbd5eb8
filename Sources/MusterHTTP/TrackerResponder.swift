internal import Hummingbird
internal import MusterLocation
internal import MusterNode
internal import NIOCore

/// Receives the position reports of phones and passes them to the node.
///
/// | request | sender | response |
/// |---|---|---|
/// | `GET /?id=…&lat=…&lon=…`, or the same as a form by `POST /` | OsmAnd, Traccar | empty |
/// | `POST /` with JSON | Traccar Client since 9 | empty |
/// | `POST /owntracks` | OwnTracks in HTTP mode | `[]` |
///
/// The node limits the rate of one phone. An impossible fix is answered like a valid one, or the
/// phone would retransmit it forever.
struct TrackerResponder: Sendable {
  /// Whose position a report is, whatever it names.
  enum Reporter: Sendable {
    /// The carrier of a tracker.
    case carrier(TrackerName)
    /// The user of this node's device.
    case deviceUser
  }

  private let node: Node
  private let reporter: Reporter?

  /// - Parameter reporter: nil to believe each report.
  init(node: Node, reporter: Reporter? = nil) {
    self.node = node
    self.reporter = reporter
  }

  /// - Parameter verdict: the decision of the access rule.
  func respond(
    to request: Request, as verdict: AccessRule.Verdict
  ) async throws -> Response {
    switch verdict {
    case .forbidden: return .words(.forbidden, "not from web pages, or by another host name")
    case .unauthorized:
      var response = Response.words(
        .unauthorized,
        "the token is missing or wrong; this address serves phones, and no dashboard")
      response.headers[.wwwAuthenticate] = "Basic realm=\"muster\", charset=\"UTF-8\""
      return response
    case .allowed(let path):
      do {
        return try await respond(to: request, path: path)
      } catch let fault as ReadingFault {
        return .words(fault == .tooLong ? .contentTooLarge : .badRequest, fault.rawValue)
      }
    }
  }

  private func respond(to request: Request, path: String) async throws -> Response {
    switch (path, request.method) {
    case ("/", .get):
      return try await answer(to: try OsmAndQuery.read(request.uri.query ?? ""), with: "")
    case ("/", .post):
      // Some apps send the form in the URL of a POST without a body.
      let body = try await bytes(of: request, upTo: TraccarMessage.longestBytes)
      if TraccarMessage.matches(body) {
        return try await answer(to: try TraccarMessage.read(body), with: "")
      }
      guard let form = String(validating: body, as: UTF8.self) else { throw ReadingFault.malformed }
      let query = form.isEmpty ? request.uri.query ?? "" : form
      return try await answer(to: try OsmAndQuery.read(query), with: "")
    case ("/owntracks", .post):
      let body = try await bytes(of: request, upTo: OwnTracksMessage.longestBytes)
      // The app sends an empty body when a friend is removed.
      guard !body.isEmpty else { return .replied("[]") }
      let report = try OwnTracksMessage.read(
        body, user: request.value(of: "x-limit-u"), device: request.value(of: "x-limit-d"))
      return try await answer(to: report, with: "[]")
    case ("/", _), ("/owntracks", _): return .words(.methodNotAllowed, "use GET or POST")
    default: return .words(.notFound, "there is nothing at this path")
    }
  }

  private func bytes(of request: Request, upTo most: Int) async throws -> [UInt8] {
    do {
      return Array(buffer: try await request.body.collect(upTo: most))
    } catch is NIOTooManyBytesError {
      throw ReadingFault.tooLong
    }
  }

  private func answer(to report: TrackerReport?, with body: String) async throws -> Response {
    guard let report else { return .replied(body) }
    let reply =
      switch reporter {
      case .deviceUser: await TrackerReports.takeOwn(report, at: node)
      case .carrier(let name): await TrackerReports.take(report.renamed(name), at: node)
      case nil: await TrackerReports.take(report, at: node)
      }
    switch reply {
    case .done: return .replied(body)
    case .tooFast: return .words(.tooManyRequests, "too many positions; send the rest later")
    case .tooMany: return .words(.forbidden, "this node has no room for another tracker")
    case .refused(let reason): return .words(.forbidden, reason)
    case .unavailable: return .words(.serviceUnavailable, "the node cannot store it now")
    }
  }
}

extension Response {
  fileprivate static func replied(_ body: String) -> Response {
    Response(
      status: .ok, headers: body.isEmpty ? [:] : [.contentType: "application/json"],
      body: .init(byteBuffer: ByteBuffer(string: body)))
  }

  fileprivate static func words(_ status: HTTPResponse.Status, _ text: String) -> Response {
    Response(
      status: status, headers: [.contentType: "text/plain; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: text + "\n")))
  }
}
