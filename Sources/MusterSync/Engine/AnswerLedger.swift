internal import MusterModel

/// What was sent by multicast lately because a peer asked for it.
///
/// A multicast is not acknowledged. Who asks again on a session, later than it would have arrived,
/// is answered there. Who asks all again causes it again, after waits that double, so that no
/// device keeps a link full by asking.
///
/// Invariant: at most `Limits.relays` items; the one that was answered first is forgotten.
struct AnswerLedger: Sendable {
  /// A range of a log, or a record up to a version.
  struct Item: Sendable {
    let key: Bytes16
    let first: UInt64
    let last: UInt64

    /// - Parameter pieces: one item; not empty.
    init(_ pieces: [Fresh]) {
      key = pieces[0].key
      first = if case .frames(let frames, _, _) = pieces[0] { frames[0].sequence } else { 0 }
      last =
        switch pieces[pieces.count - 1] {
        case .frames(let frames, _, _): frames[frames.count - 1].sequence
        case .records(let records): records[0].order.counter
        }
    }

    func contains(_ other: Self) -> Bool { first <= other.first && other.last <= last }
  }

  enum Verdict { case onItsWay, alone, toAll }

  private struct Answer: Sendable {
    let item: Item
    /// When it has arrived, unless it was lost.
    let arrives: Instant
    /// From when on it is sent again to those who ask all.
    let again: Instant
    let repeats: Int
  }

  private var answers: [Bytes16: Answer] = [:]

  private static let mostDoublings = 6

  /// Returns how a request for an item is answered.
  func verdict(on item: Item, hasSession: Bool, now: Instant) -> Verdict {
    guard let last = answers[item.key], last.item.contains(item) else { return .toAll }
    if now < (hasSession ? last.arrives : last.again) { return .onItsWay }
    let isLate = now.milliseconds(since: last.arrives) < Timing.answersAloneMilliseconds
    return hasSession && isLate ? .alone : .toAll
  }

  /// Notes that an item is sent to all within a time, in milliseconds.
  mutating func note(_ item: Item, within milliseconds: Int64, now: Instant) {
    var repeats = 0
    if let last = answers[item.key], last.item.contains(item),
      now.milliseconds(since: last.again) < Timing.answersAloneMilliseconds
    {
      repeats = min(last.repeats + 1, Self.mostDoublings)
    }
    answers[item.key] = Answer(
      item: item, arrives: now.advanced(byMilliseconds: milliseconds),
      again: now.advanced(byMilliseconds: milliseconds << repeats), repeats: repeats)
    guard answers.count > Limits.relays else { return }
    let first = answers.min { ($0.value.arrives, $0.key) < ($1.value.arrives, $1.key) }
    if let first { answers[first.key] = nil }
  }
}
