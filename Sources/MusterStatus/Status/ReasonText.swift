internal import MusterModel

/// Parts of the reasons of statuses.
enum ReasonText {
  /// Returns the first line of a note, shortened to fit a list unless a program wrote it.
  static func excerpt(_ note: String) -> Phrase.Value {
    let line = note.split(separator: "\n").first ?? ""
    if let note = CallNote(reading: line) { return .phrase(note.phrase) }
    return .text(line.count > 80 ? line.prefix(79) + "…" : String(line))
  }

  /// Returns what an order requires.
  static func order(_ order: OrderEvidence, goals: [StatusZone]) -> Phrase {
    guard order.moves else { return Phrase(.rollCallUnanswered) }
    let names = goals.filter { order.zones.contains($0.id) }.map(\.name)
    let zones = (names.isEmpty ? goals.map(\.name) : names).prefix(3)
    return Phrase(
      order.kind == .evacuate ? .evacuateTo : .musterAt, ["zones": .texts(Array(zones))])
  }
}
