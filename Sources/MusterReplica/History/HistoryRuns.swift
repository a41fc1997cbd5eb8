internal import MusterModel

/// When this node recorded, as runs without a gap: from a start until it was last seen to record.
/// A start of the program begins a run, and so does a silence, such as of a suspended laptop.
///
/// Encoded as a version (1), then both ends of each run as varints: differences from the end
/// before.
struct HistoryRuns: Hashable, Sendable {
  private static let version: UInt8 = 1

  struct Run: Hashable, Sendable {
    let began: Int64
    fileprivate(set) var ended: Int64
  }

  private(set) var runs: [Run] = []
  /// What is stored.
  private var stored: [Run] = []

  init() {}

  // MARK: Recording

  /// Begins a run, which ends the one before at `last` at the earliest.
  mutating func start(at now: Int64, after last: Int64?) {
    if let last, let end = runs.last?.ended, end < last, last <= now {
      runs[runs.count - 1].ended = last
    }
    begin(at: now)
  }

  /// Notes that the node records.
  mutating func see(_ now: Int64) {
    guard let end = runs.last?.ended else { return }
    // After a clock was set back, the later run covers its time.
    guard end <= now, now - end <= Limits.historyBeatMilliseconds else { return begin(at: now) }
    runs[runs.count - 1].ended = now
  }

  private mutating func begin(at now: Int64) {
    runs.append(Run(began: now, ended: now))
    if runs.count > Limits.historyRuns { runs.removeFirst(runs.count - Limits.historyRuns) }
  }

  /// Whether what is stored is older than a beat.
  var isDue: Bool {
    guard stored.count == runs.count, let old = stored.last, let new = runs.last,
      old.began == new.began
    else { return stored != runs }
    return new.ended - old.ended >= Limits.historyBeatMilliseconds
  }

  mutating func noteStored() { stored = runs }

  // MARK: Reading

  /// The gaps that end after an instant.
  func gaps(since first: Int64) -> [HistoryGap] {
    zip(runs, runs.dropFirst()).compactMap { run, next in
      guard next.began - run.ended >= Limits.historyGapMilliseconds, next.began > first else {
        return nil
      }
      return HistoryGap(
        from: Timestamp(milliseconds: max(first, run.ended)),
        to: Timestamp(milliseconds: next.began))
    }
  }

  // MARK: Coding

  func encoded() -> [UInt8] {
    var bytes = [Self.version]
    var last: Int64 = 0
    for run in runs {
      Varint.append(signed: run.began &- last, to: &bytes)
      Varint.append(signed: run.ended &- run.began, to: &bytes)
      last = run.ended
    }
    return bytes
  }

  /// Nothing for bytes of another version of this program.
  init(decoding bytes: [UInt8]?) {
    guard let bytes, bytes.first == Self.version else { return }
    var (place, last, found) = (1, Int64(0), [Run]())
    while place < bytes.count {
      guard let began = Varint.signed(in: bytes, at: &place),
        let length = Varint.signed(in: bytes, at: &place)
      else { return }
      last = last &+ began &+ length
      found.append(Run(began: last &- length, ended: last))
    }
    (runs, stored) = (found, found)
  }
}
