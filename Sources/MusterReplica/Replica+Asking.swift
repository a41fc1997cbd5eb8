public import MusterModel
internal import MusterSync

/// The question that a start asks before this device continues its own logs.
///
/// A restored disk, with everything beside the database, does not detect the restore; the peers do.
/// Logs that it continued before their answer would fork.
struct HeadsQuery: Hashable, Sendable {
  let logs: [LogID]
  let asked: Instant

  /// How long to wait for a first answer to a handshake, and for the complete answers of the peers.
  static let aloneMilliseconds: Int64 = 1000
  static let lastMilliseconds: Int64 = 3000
}

extension Replica {
  /// Asks at a start, unless nothing was written in this incarnation.
  mutating func askForHeads(now: Instant) {
    let logs = writer.heads.values.map(\.log).sorted()
    question = logs.isEmpty ? nil : HeadsQuery(logs: logs, asked: now)
  }

  /// Whether this device may continue its own logs: false for a moment after a start, until each
  /// peer in reach has reported what it holds of them. Without known peers it does not wait.
  ///
  /// A writer on this replica waits for it, up to `answerDue`. Writing without waiting may fork a
  /// log, which loses no data.
  public mutating func mayWrite(now: Instant) -> Bool {
    guard let due = answerDue else { return true }
    guard now < due, engine.haveShown(question?.logs ?? []) != true else {
      question = nil
      return true
    }
    return false
  }

  /// The time until which the peers' answers are awaited; nil if none are.
  public var answerDue: Instant? {
    guard let question else { return nil }
    let answers = engine.haveShown(question.logs)
    guard answers != nil || !engine.contactEndpoints.isEmpty else { return question.asked }
    return question.asked.advanced(
      byMilliseconds: answers == nil
        ? HeadsQuery.aloneMilliseconds : HeadsQuery.lastMilliseconds)
  }
}
