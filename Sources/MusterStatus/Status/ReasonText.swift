internal import MusterModel

/// Reasons as text for people.
enum ReasonText {
  /// Joins a reason and a note, which is shortened to fit a list.
  static func joined(_ words: String, _ note: String) -> String {
    let line = note.split(separator: "\n").first ?? ""
    let excerpt = line.count > 80 ? line.prefix(79) + "…" : String(line)
    return excerpt.isEmpty ? words : "\(words): \(excerpt)"
  }

  /// Returns what an order requires.
  static func order(_ order: OrderEvidence, goals: [StatusZone]) -> String {
    guard order.moves else { return "roll call not answered" }
    let verb = order.kind == .evacuate ? "evacuate" : "muster"
    let names = goals.filter { order.zones.contains($0.id) }.map(\.name)
    let zones = names.isEmpty ? goals.map(\.name) : names
    return zones.isEmpty ? verb : "\(verb) to \(zones.prefix(3).joined(separator: " or "))"
  }
}
