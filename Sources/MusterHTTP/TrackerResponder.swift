internal import Hummingbird
internal import MusterLocation
internal import MusterNode
internal import NIOCore

/// Hears phones, and hands what they say to the node.
///
/// | request | who sends it | answer |
/// |---|---|---|
/// | `GET /?id=…&lat=…&lon=…`, or that as a form by `POST /` | OsmAnd, Traccar | nothing |
/// | `POST /owntracks` | OwnTracks in HTTP mode | `[]` |
///
/// How much one phone may say is the node's to decide. A fix that cannot be true is answered as a
/// good one, or the phone would send it for ever.
struct TrackerResponder: Sendable {
  let node: Node

  /// - Parameter verdict: what the access rule says of the request.
  func respond(
    to request: Request, as verdict: AccessRule.Verdict
  ) async throws -> Response {
    switch verdict {
    case .forbidden: return .words(.forbidden, "not from a web page, nor by another name")
    case .unauthorized:
      var response = Response.words(.unauthorized, "the token is missing or wrong")
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
      return try await answer(to: try OsmAndQuery.read(request.uri.query ?? ""), saying: "")
    case ("/", .post):
      // Some send the form in the URL of a POST without a body.
      let body = try await bytes(of: request, upTo: OsmAndQuery.longestBytes)
      guard let form = String(validating: body, as: UTF8.self) else { throw ReadingFault.malformed }
      let query = form.isEmpty ? request.uri.query ?? "" : form
      return try await answer(to: try OsmAndQuery.read(query), saying: "")
    case ("/owntracks", .post):
      let body = try await bytes(of: request, upTo: OwnTracksMessage.longestBytes)
      let report = try OwnTracksMessage.read(
        body, user: request.value(of: "x-limit-u"), device: request.value(of: "x-limit-d"))
      return try await answer(to: report, saying: "[]")
    case ("/", _), ("/owntracks", _): return .words(.methodNotAllowed, "another method")
    default: return .words(.notFound, "there is nothing here")
    }
  }

  private func bytes(of request: Request, upTo most: Int) async throws -> [UInt8] {
    do {
      return Array(buffer: try await request.body.collect(upTo: most))
    } catch is NIOTooManyBytesError {
      throw ReadingFault.tooLong
    }
  }

  private func answer(to report: TrackerReport?, saying body: String) async throws -> Response {
    guard let report else { return .said(body) }
    switch await node.take(report) {
    case .done: return .said(body)
    case .tooFast: return .words(.tooManyRequests, "too many positions; send the rest later")
    case .tooMany: return .words(.forbidden, "this node has no room for another tracker")
    case .refused(let reason): return .words(.forbidden, reason)
    case .unavailable: return .words(.serviceUnavailable, "the node cannot write it down now")
    }
  }
}

extension Response {
  fileprivate static func said(_ body: String) -> Response {
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
