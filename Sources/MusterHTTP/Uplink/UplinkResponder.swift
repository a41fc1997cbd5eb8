internal import Hummingbird
internal import MusterTransport
internal import NIOCore

/// Answers one request on the command post's listener: `POST /uplink` with a body that never ends,
/// as the request's does not; everything else with whatever else is there.
///
/// Whoever comes is told nothing before the engine has a session with them, and is sent away after
/// a while without one: TLS shows who this command post is, Noise inside it who the other is.
struct UplinkResponder: HTTPResponder {
  typealias Context = ListenerContext
  typealias Other = @Sendable (Request, ListenerContext) async throws -> Response

  let uplinks: UplinkSwitch
  let other: Other

  func respond(to request: Request, context: ListenerContext) async throws -> Response {
    guard request.uri.path == UplinkClient.path else { return try await other(request, context) }
    // No web page has a reason to come here.
    guard request.method == .post, request.headers[.origin] == nil,
      request.headers[.contentType] == UplinkClient.mediaType
    else { return Response(status: .notFound) }
    guard let connection = uplinks.admit(from: context.client) else {
      return Response(status: .serviceUnavailable)
    }
    // From here on silence ends it, not its age.
    context.channel.pipeline.fireUserInboundEventTriggered(ConnectionLifetime.Wish.endless)
    let (uplinks, incoming) = (uplinks, request.body)
    let lease = UplinkLease(connection, of: uplinks)
    return Response(
      status: .ok, headers: [.contentType: UplinkClient.mediaType, .cacheControl: "no-store"],
      body: ResponseBody { writer in
        defer { lease.end() }
        try await uplinks.carry(connection, incoming: incoming) { try await writer.write($0) }
      })
  }
}

/// Ends an uplink when its answer is written, and also where that is never begun.
private final class UplinkLease: Sendable {
  private let connection: UplinkConnection
  private let uplinks: UplinkSwitch

  init(_ connection: UplinkConnection, of uplinks: UplinkSwitch) {
    self.connection = connection
    self.uplinks = uplinks
  }

  deinit { end() }

  func end() { uplinks.end(connection) }
}
