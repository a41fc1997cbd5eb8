internal import MusterLocation
internal import MusterModel

/// What this node notes about the messages of each phone, for display: what could not be used,
/// alarms that do not call for help, fixes that always arrive late, and how often it reports. In
/// memory, and bounded by the number of phones: the one that reported longest ago is forgotten
/// first.
struct PhoneNotes: Sendable {
  private struct Note {
    var omissions: [TrackerReport.Omission: Int] = [:]
    var alarm: (word: String, at: Instant)?
    var rhythm = Rhythm()
    var lateness = Lateness()
    var turn: UInt64
  }

  /// When the last messages arrived.
  private struct Rhythm {
    private static let most = 4
    private var arrivals: [Instant] = []

    mutating func record(now: Instant) {
      arrivals = (arrivals + [now]).suffix(Self.most)
    }

    /// The shortest time between the last messages; nil for a few.
    var interval: Int64? {
      guard arrivals.count == Self.most else { return nil }
      return zip(arrivals, arrivals.dropFirst()).map { $1.milliseconds(since: $0) }.min()
    }
  }

  /// Late fixes in a row. Those of one upload count once.
  private struct Lateness {
    static let most = 3
    private static let apart: Int64 = 20_000
    private var count = 0
    private var at: Instant?
    private var least = Int64.max

    mutating func record(_ age: SampleAge, now: Instant) {
      guard let milliseconds = age.leastMilliseconds else { return }
      guard milliseconds > FixAge.oldMilliseconds else { return self = Self() }
      if let at, now.milliseconds(since: at) < Self.apart {
        least = min(least, milliseconds)
        return
      }
      count = min(count + 1, Self.most)
      at = now
      least = min(least, milliseconds)
    }

    /// How late the fixes are, in milliseconds; nil if they are not.
    var lag: Int64? { count >= Self.most ? least : nil }
  }

  /// How long another alarm is shown, in milliseconds.
  private static let alarmMilliseconds: Int64 = 3_600_000

  private var notes: [TrackerName?: Note] = [:]
  private var turn: UInt64 = 0

  /// Records a report.
  ///
  /// - Parameters:
  ///   - phone: nil for the phone of this device's user.
  ///   - age: of its fix; nil without one.
  mutating func record(
    _ report: TrackerReport, of phone: TrackerName?, age: SampleAge?, now: Instant
  ) {
    count(report.omissions, of: phone)
    change(phone) { note in
      note.rhythm.record(now: now)
      if let age { note.lateness.record(age, now: now) }
      if let alarm = report.alarm, !alarm.isCall { note.alarm = (alarm.word, now) }
    }
  }

  /// Counts what was left out of a message.
  mutating func count(_ omissions: Set<TrackerReport.Omission>, of phone: TrackerName?) {
    guard !omissions.isEmpty else { return }
    change(phone) { note in
      for omission in omissions { note.omissions[omission, default: 0] += 1 }
    }
  }

  /// Forgets how late the fixes of a phone were: command stated that its clock is behind.
  mutating func forgetLateness(of phone: TrackerName?) { notes[phone]?.lateness = Lateness() }

  /// Returns what is noted about a phone; nil for nothing.
  ///
  /// - Parameters:
  ///   - silence: the silence setting of its person, in milliseconds.
  ///   - behind: how much command states that its clock is behind, in milliseconds.
  func summary(
    of phone: TrackerName?, silence: @autoclosure () throws -> Int64, behind: Int64, now: Instant
  ) rethrows -> PhoneSummary? {
    let note = notes[phone]
    let leftOut = (note?.omissions ?? [:]).sorted { $0.key < $1.key }.map {
      PhoneSummary.Omission(reason: $0.key.rawValue, count: $0.value)
    }
    let alarm = note?.alarm.flatMap {
      now.milliseconds(since: $0.at) < Self.alarmMilliseconds ? $0 : nil
    }
    let interval = try note?.rhythm.interval.flatMap { $0 >= (try silence()) ? $0 : nil }
    let summary = PhoneSummary(
      leftOut: leftOut, alarm: alarm?.word,
      alarmAgeSeconds: alarm.map { now.milliseconds(since: $0.at) / 1000 },
      lateBySeconds: note?.lateness.lag.map { $0 / 1000 },
      reportsEverySeconds: interval.map { $0 / 1000 }, clockBehindSeconds: behind / 1000)
    return summary.isEmpty ? nil : summary
  }

  private mutating func change(_ phone: TrackerName?, _ act: (inout Note) -> Void) {
    if notes[phone] == nil, notes.count > Limits.trackersPerDevice,
      let oldest = notes.min(by: { $0.value.turn < $1.value.turn })
    {
      notes[oldest.key] = nil
    }
    turn += 1
    var note = notes[phone] ?? Note(turn: turn)
    note.turn = turn
    act(&note)
    notes[phone] = note
  }
}
