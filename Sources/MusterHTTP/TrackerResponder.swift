internal import Hummingbird
internal import MusterLocation
internal import MusterNode
internal import NIOCore

/// Receives what phones report and passes it to the node.
///
/// | request | sender | response |
/// |---|---|---|
/// | `GET /?id=…&lat=…&lon=…`, or the same as a form by `POST /` | OsmAnd, Traccar | empty |
/// | `POST /` with JSON | Traccar Client since 9 | empty |
/// | `POST /owntracks` | OwnTracks in HTTP mode | `[]` |
///
/// An app repeats a message until it is answered with success. So the answer is success once all
/// that can be used is durable, or if nothing of the message can ever be used; 503 while it cannot
/// be stored, 429 beyond the rate. A call for help gets neither 403 nor 429.
struct TrackerResponder: Sendable {
  /// Whose report it is, whatever it names.
  enum Reporter: Sendable {
    /// The carrier of a tracker.
    case carrier(TrackerName)
    /// The user of this node's device.
    case deviceUser
    /// A person whose login of this name was removed or changed: only a call for help counts.
    case former(String)
  }

  /// How long an answer to a wrong token waits: with the bound of connections it limits guesses,
  /// while a right one from the same address is served at once.
  private static let wrongTokenPause = Duration.seconds(1)

  private let node: Node
  private let reporter: Reporter?
  private let key: OwnTracksKey?

  /// - Parameters:
  ///   - reporter: nil to believe each report.
  ///   - key: of messages that OwnTracks encrypts; nil without.
  init(node: Node, reporter: Reporter? = nil, key: OwnTracksKey? = nil) {
    self.node = node
    self.reporter = reporter
    self.key = key
  }

  /// - Parameters:
  ///   - verdict: the decision of the access rule.
  ///   - address: of the client; empty if it is not known.
  func respond(
    to request: Request, as verdict: AccessRule.Verdict, from address: String = ""
  ) async throws -> Response {
    switch verdict {
    case .forbidden: return .words(.forbidden, "not from web pages, or by another host name")
    case .unauthorized:
      try await Task.sleep(for: Self.wrongTokenPause)
      var response = Response.words(
        .unauthorized,
        "the token is missing or wrong; this address serves phones, and no dashboard")
      response.headers[.wwwAuthenticate] = "Basic realm=\"muster\", charset=\"UTF-8\""
      return response
    case .allowed(let path):
      do {
        return try await respond(to: request, path: path, address)
      } catch let fault as ReadingFault {
        return .words(fault == .tooLong ? .contentTooLarge : .badRequest, fault.rawValue)
      }
    }
  }

  private func respond(
    to request: Request, path: String, _ address: String
  ) async throws -> Response {
    switch (path, request.method) {
    case ("/", .get):
      let report = try PhoneMessages.form(request.uri.query ?? "")
      return await answer(to: [report], with: "", address)
    case ("/", .post):
      let body = try await bytes(of: request)
      // Some apps state the phone, or all, in the URL of a POST.
      let query = request.uri.query ?? ""
      if PhoneMessages.isJSON(body) {
        let name = request.uri.queryParameters["id"].map(String.init)
        let reports = try PhoneMessages.json(
          body, named: [name].compactMap { $0 }, open: { key?.open($0) })
        return await answer(to: reports, with: "", address)
      }
      let form = [String(decoding: body, as: UTF8.self), query].filter { !$0.isEmpty }
      return await answer(
        to: [try PhoneMessages.form(form.joined(separator: "&"))], with: "", address)
    case ("/owntracks", .post):
      let body = try await bytes(of: request)
      // The app sends an empty body when a friend is removed.
      guard !body.isEmpty else { return .replied("[]") }
      let reports = try PhoneMessages.json(
        body, named: Self.ownTracksNames(request), open: { key?.open($0) })
      return await answer(to: reports, with: "[]", address)
    case ("/", _), ("/owntracks", _):
      let allowed = path == "/" ? ["GET", "POST"] : ["POST"]
      var response = Response.words(
        .methodNotAllowed, "use \(allowed.joined(separator: " or "))")
      response.headers[.allow] = allowed.joined(separator: ", ")
      return response
    default: return .words(.notFound, "there is nothing at this path")
    }
  }

  /// User and device of an OwnTracks request: `?u=…&d=…`, else its headers.
  private static func ownTracksNames(_ request: Request) -> [String] {
    let query = request.uri.queryParameters
    let stated = ["u", "d"].compactMap { query[Substring($0)].map(String.init) }
    if stated.contains(where: { !$0.isEmpty }) { return stated }
    return ["x-limit-u", "x-limit-d"].compactMap(request.value(of:))
  }

  private func bytes(of request: Request) async throws -> [UInt8] {
    do {
      return Array(buffer: try await request.body.collect(upTo: PhoneMessages.longestBytes))
    } catch is NIOTooManyBytesError {
      throw ReadingFault.tooLong
    }
  }

  /// Processes the reports of a request in their order. The answer is that of the report that the
  /// app has to send again, if there is one.
  private func answer(
    to reports: [TrackerReport], with body: String, _ address: String
  ) async -> Response {
    if case .former = reporter, !reports.contains(where: \.isCall) { return Self.notValid }
    var worst = TrackerReply.done
    for report in reports {
      let reply = await receive(report, address)
      if Self.weight(reply) > Self.weight(worst) { worst = reply }
    }
    switch worst {
    case .done: return .replied(body)
    case .tooFast: return .words(.tooManyRequests, "too many reports; send the rest later")
    case .tooMany: return .words(.forbidden, "this node has no room for another phone")
    case .invalid(let fault): return .words(.badRequest, fault.rawValue)
    // It can never be used, however often it is sent.
    case .refused: return .replied(body)
    case .unavailable: return .words(.serviceUnavailable, "the node cannot store it now")
    }
  }

  private func receive(_ report: TrackerReport, _ address: String) async -> TrackerReply {
    switch reporter {
    case .deviceUser: await TrackerReports.receiveOwn(report, at: node)
    case .former(let login):
      await TrackerReports.receive(report, ofFormerLogin: login, from: address, at: node)
    case .carrier(let name):
      await TrackerReports.receive(report.renamed(name), by: .login, at: node)
    case nil:
      await TrackerReports.receive(report, by: .shared(address: address), at: node)
    }
  }

  private static let notValid = Response.words(
    .unauthorized, "this address is not valid any more: copy it from the page again")

  private static func weight(_ reply: TrackerReply) -> Int {
    switch reply {
    case .done: 0
    case .refused: 1
    case .invalid: 2
    case .tooMany: 3
    case .tooFast: 4
    case .unavailable: 5
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
