internal import MusterNode

/// How commands travel to a node over HTTP, and their answers back; both ends are of one version.
///
/// | request | answer |
/// |---|---|
/// | `POST` of a command, as JSON | one message |
/// | `POST` of a wish to follow | message after message, each on a line of its own, without end |
///
/// It says nothing of who may ask: the listener decides that before it asks here.
public enum CommandExchange {
  /// Where commands are posted. Served on the node's own socket only.
  public static let path = "/api/v1/commands"
  /// What a command is, and one answer.
  public static let mediaType = "application/json"
  /// What a follower is answered: a message a line.
  public static let streamType = "application/x-ndjson"

  /// What a request is answered.
  public enum Answer: Sendable {
    /// The body.
    case whole([UInt8])
    /// The pieces of the body, as things happen.
    case following(any AsyncSequence<[UInt8], Never> & Sendable)
  }

  /// Carries out what a request's body asks for. Throws `ControlFault.malformed` where it asks for
  /// nothing that is known here, and has then changed nothing.
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
