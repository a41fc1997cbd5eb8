internal import MusterLocation
internal import MusterModel

/// What this node notes about the messages of each phone, for display: what could not be used, and
/// alarms that do not call for help. In memory, and bounded by the number of phones: the one that
/// reported longest ago is forgotten first.
struct PhoneNotes: Sendable {
  private struct Note {
    var omissions: [TrackerReport.Omission: Int] = [:]
    var alarm: String?
    var turn: UInt64
  }

  private var notes: [TrackerName?: Note] = [:]
  private var turn: UInt64 = 0

  /// Records a report.
  ///
  /// - Parameter phone: nil for the phone of this device's user.
  mutating func record(_ report: TrackerReport, of phone: TrackerName?) {
    count(report.omissions, of: phone)
    guard let alarm = report.alarm else {
      if notes[phone]?.alarm != nil { notes[phone]?.alarm = nil }
      return
    }
    if !alarm.isCall { change(phone) { $0.alarm = alarm.word } }
  }

  /// Counts what was left out of a message.
  mutating func count(_ omissions: Set<TrackerReport.Omission>, of phone: TrackerName?) {
    guard !omissions.isEmpty else { return }
    change(phone) { note in
      for omission in omissions { note.omissions[omission, default: 0] += 1 }
    }
  }

  /// Returns what is noted about a phone; nil for nothing.
  func summary(of phone: TrackerName?) -> PhoneSummary? {
    guard let note = notes[phone] else { return nil }
    let leftOut = note.omissions.sorted { $0.key < $1.key }.map {
      PhoneSummary.Omission(reason: $0.key.rawValue, count: $0.value)
    }
    guard !leftOut.isEmpty || note.alarm != nil else { return nil }
    return PhoneSummary(leftOut: leftOut, alarm: note.alarm)
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
