internal import Hummingbird
public import Logging
internal import MusterLocation
public import MusterNode
internal import NIOCore
public import ServiceLifecycle

/// Hears phones over HTTP, and hands what they say to the node.
///
/// | request | who sends it | answer |
/// |---|---|---|
/// | `GET /?id=…&lat=…&lon=…`, or that as a form by `POST /` | OsmAnd, Traccar | nothing |
/// | `POST /owntracks` | OwnTracks in HTTP mode | `[]` |
///
/// Bodies, headers, connections and the time of a connection are bounded; how much one phone may
/// say is the node's to decide. A fix that cannot be true is answered as a good one, or the phone
/// would send it for ever.
public struct TrackerServer: Service {
  private static let mostConnections = 256
  private static let idle = TimeAmount.seconds(15)
  private static let headerBytes = 8 * 1024

  private let host: String
  private let port: Int
  private let responder: TrackerResponder
  private let logger: Logger

  /// - Parameter token: MUST be there where others than this machine can reach the address.
  public init(host: String, port: Int, token: String?, node: Node, logger: Logger) {
    self.host = host
    self.port = port
    responder = TrackerResponder(rule: AccessRule(token: token), node: node)
    self.logger = logger
  }

  /// Returns after a graceful shutdown; throws where the address is taken.
  public func run() async throws {
    var quiet = logger
    quiet.logLevel = .warning
    let (host, logger) = (host, logger)
    let application = Application(
      responder: responder,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [ConnectionLifetime()], idleTimeout: Self.idle,
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: Self.headerBytes, maxHeaderListSize: Self.headerBytes,
            maxHeaderFieldCount: 64))),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        availableConnectionsDelegate: .maximum(Self.mostConnections, logger: quiet)),
      onServerRunning: { channel in
        logger.info("listening for phones on http://\(host):\(channel.localAddress?.port ?? 0)")
      }, logger: quiet)
    try await application.run()
  }
}

/// Answers one request.
struct TrackerResponder: HTTPResponder {
  typealias Context = BasicRequestContext

  let rule: AccessRule
  let node: Node

  func respond(to request: Request, context: Context) async throws -> Response {
    let headers = AccessRule.Headers(
      host: request.head.authority, authorization: request.headers[.authorization],
      origin: request.headers[.origin], fetchSite: request.value(of: "sec-fetch-site"))
    switch rule.judge(path: request.uri.path, headers) {
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

extension Request {
  /// Of the first header of that name, which MUST be in lower case.
  fileprivate func value(of name: String) -> String? {
    headers.first { $0.name.canonicalName == name }?.value
  }
}
