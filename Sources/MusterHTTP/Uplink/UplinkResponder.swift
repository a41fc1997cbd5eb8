internal import Hummingbird
internal import MusterTransport
internal import NIOCore

/// Answers requests to the command post's listener: `POST /uplink` with an endless body, as the
/// request's is; everything else with the other responder.
///
/// A client receives nothing before the engine has a session with it, and without one it is
/// disconnected after a while: TLS authenticates this command post, Noise inside it authenticates
/// the client.
struct UplinkResponder: HTTPResponder {
  typealias Context = ListenerContext
  typealias Other = @Sendable (Request, ListenerContext) async throws -> Response

  /// Nil on a node that is no command post.
  let uplinks: UplinkSwitch?
  let other: Other

  func respond(to request: Request, context: ListenerContext) async throws -> Response {
    guard ListenerRoute.find(request, at: .remote)?.service == .uplink else {
      return try await other(request, context)
    }
    // No web page has a reason to use this path.
    guard let uplinks, request.method == .post, request.headers[.origin] == nil,
      request.headers[.contentType] == UplinkClient.mediaType
    else { return Response(status: .notFound) }
    guard let connection = uplinks.admit(from: context.client) else {
      return Response(status: .serviceUnavailable)
    }
    // From here on an idle timeout ends it, not its age.
    context.channel.pipeline.fireUserInboundEventTriggered(
      ConnectionLifetime.ExtensionRequest.endless)
    let incoming = request.body
    let lease = UplinkLease(connection, of: uplinks)
    return Response(
      status: .ok, headers: [.contentType: UplinkClient.mediaType, .cacheControl: "no-store"],
      body: ResponseBody { writer in
        defer { lease.end() }
        try await uplinks.carry(connection, incoming: incoming) { try await writer.write($0) }
      })
  }
}

/// Ends an uplink when its response ends or was never started.
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
