public import MusterModel
internal import MusterSync

/// What a start wants to hear before it goes on with its own logs.
///
/// A whole disk that was put back, with all that lies beside the database, knows nothing of it; the
/// peers do. If it wrote before it had heard them, its logs would fork.
struct HeadsQuestion: Hashable, Sendable {
  let logs: [LogID]
  let asked: Instant

  /// Until somebody must have answered a call, and until those who did must have said all.
  static let aloneMilliseconds: Int64 = 1000
  static let lastMilliseconds: Int64 = 3000
}

extension Replica {
  /// Asks at a start, unless nothing has been written in this life.
  mutating func askForHeads(now: Instant) {
    let logs = writer.heads.values.map(\.log).sorted()
    question = logs.isEmpty ? nil : HeadsQuestion(logs: logs, asked: now)
  }

  /// Whether this device may go on with its own logs: false for a moment after a start, until each
  /// peer in reach has said how much of them it holds. Where nobody is known, nobody is waited for.
  ///
  /// Whoever writes by this replica waits for it, up to `answerDue`. Who does not may fork a log;
  /// nothing is lost by that.
  public mutating func mayWrite(now: Instant) -> Bool {
    guard let due = answerDue else { return true }
    guard now < due, engine.haveShown(question?.logs ?? []) != true else {
      question = nil
      return true
    }
    return false
  }

  /// Until when the peers' answer is worth waiting for; nil where none is awaited.
  public var answerDue: Instant? {
    guard let question else { return nil }
    let answers = engine.haveShown(question.logs)
    guard answers != nil || !engine.contactEndpoints.isEmpty else { return question.asked }
    return question.asked.advanced(
      byMilliseconds: answers == nil
        ? HeadsQuestion.aloneMilliseconds : HeadsQuestion.lastMilliseconds)
  }
}
