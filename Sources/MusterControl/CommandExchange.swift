internal import MusterNode

/// The exchange of commands and replies with a node over HTTP; both ends have the same version.
///
/// | request | response |
/// |---|---|
/// | `POST` of a command, as JSON | one message |
/// | `POST` of a follow request | an endless stream of messages, one a line |
///
/// It does not authorize clients: the listener does that before it calls this type.
public enum CommandExchange {
  /// The path for commands. Served only on the node's own socket.
  public static let path = "/api/v1/commands"
  /// The media type of a command and of a single reply.
  public static let mediaType = "application/json"
  /// The media type of a stream: one message a line.
  public static let streamType = "application/x-ndjson"

  /// The response to a request.
  public enum Answer: Sendable {
    /// The whole body.
    case whole([UInt8])
    /// The parts of the body, as events happen.
    case following(any AsyncSequence<[UInt8], Never> & Sendable)
  }

  /// Performs the command in a request body. Throws `ControlFault.malformed` for an unknown or
  /// invalid command, which then has changed nothing.
  public static func answer(
    to body: [UInt8], by performer: any CommandPerformer
  ) async throws(ControlFault) -> Answer {
    switch try ControlMessage.request(body) {
    case .command(let command): .whole(message(await performer.perform(command)))
    case .follow(let after):
      .following(await performer.crossings(after: after).map { line(.events($0)) })
    case .followAlerts:
      .following(await performer.standingAlerts().map { line(.alerts($0)) })
    case .followChanges: .following(await performer.changes().map { line(.changes($0)) })
    }
  }

  private static func message(_ reply: Reply) -> [UInt8] {
    let bytes = ControlMessage.encode(reply)
    guard bytes.count > ControlLimits.responseBytes else { return bytes }
    let fault = ControlFault.tooLong(bytes: bytes.count, limit: ControlLimits.responseBytes)
    return ControlMessage.encode(Reply.refused("\(fault)"))
  }

  private static func line(_ reply: Reply) -> [UInt8] { message(reply) + [UInt8(ascii: "\n")] }
}
