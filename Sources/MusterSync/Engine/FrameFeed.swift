internal import MusterModel

/// New frames on their way to many peers on uplinks, log by log.
///
///     first frame of a quiet log ─▶ sent to all at once
///     frames after it ─▶ wait ── every half second ─▶ fetched once, sent to all in few datagrams
///     more than a thousand wait ─▶ their head is advertised, and peers request them
///
/// Each datagram to a thousand peers costs a thousand encryptions and acknowledgements. A device
/// that writes as fast as it can would occupy the processor of all, and delay the reports of
/// others. So it delays its own.
///
/// Invariants: at most `Limits.fedLogs` logs. A log that waits has a deadline.
struct FrameFeed: Sendable {
  static let milliseconds: Int64 = 500

  private struct Line: Sendable {
    /// When frames of the log may be sent again.
    var opensAt: Instant
    /// The first frame that waits; nil if none does.
    var from: UInt64?
  }
  private var lines: [LogID: Line] = [:]

  /// Returns whether new frames of a log may be sent now. If not, they wait.
  mutating func admits(_ log: LogID, from first: UInt64, context: inout Context) -> Bool {
    if let line = lines[log], line.from != nil || context.now < line.opensAt {
      wait(for: log, from: first, context: &context)
      return false
    }
    if hasRoom(for: log, context: context) { lines[log] = Line(opensAt: nextTurn(context)) }
    return true
  }

  /// Lets frames of a log wait for its next turn.
  mutating func wait(for log: LogID, from first: UInt64, context: inout Context) {
    guard hasRoom(for: log, context: context) else { return }
    var line = lines[log] ?? Line(opensAt: context.now)
    line.from = min(first, line.from ?? first)
    lines[log] = line
    schedule(line, context: &context)
  }

  /// Removes and returns the frames that are due, and gives each log its next turn.
  mutating func takeDue(context: inout Context) -> [(log: LogID, from: UInt64)] {
    var due: [(log: LogID, from: UInt64)] = []
    for (log, line) in lines.sorted(by: { $0.key < $1.key }) {
      guard let from = line.from else { continue }
      if line.opensAt <= context.now {
        due.append((log, from))
        lines[log] = Line(opensAt: nextTurn(context))
      } else {
        schedule(line, context: &context)
      }
    }
    return due
  }

  private func nextTurn(_ context: Context) -> Instant {
    context.now.advanced(byMilliseconds: Self.milliseconds)
  }

  private func schedule(_ line: Line, context: inout Context) {
    context.deadlines.schedule(
      .frames, at: max(line.opensAt, context.now.advanced(byMicroseconds: 1)))
  }

  /// Whether a log may be in the feed. Quiet ones make room.
  private mutating func hasRoom(for log: LogID, context: Context) -> Bool {
    guard lines[log] == nil, lines.count >= Limits.fedLogs else { return true }
    lines = lines.filter { $0.value.from != nil || context.now < $0.value.opensAt }
    return lines.count < Limits.fedLogs
  }

  func checkInvariants() {
    precondition(lines.count <= Limits.fedLogs, "\(lines.count) logs in the feed")
  }
}
