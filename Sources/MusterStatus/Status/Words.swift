internal import MusterModel

/// Reasons as people read them.
enum Words {
  /// A reason with a note, cut to what a list has room for.
  static func joined(_ words: String, _ note: String) -> String {
    let line = note.split(separator: "\n").first ?? ""
    let excerpt = line.count > 80 ? line.prefix(79) + "…" : String(line)
    return excerpt.isEmpty ? words : "\(words): \(excerpt)"
  }

  /// What an order asks.
  static func order(_ order: OrderEvidence, goals: [StatusZone]) -> String {
    guard order.moves else { return "roll call not answered" }
    let verb = order.kind == .evacuate ? "evacuate" : "muster"
    let names = goals.filter { order.zones.contains($0.id) }.map(\.name)
    let zones = names.isEmpty ? goals.map(\.name) : names
    return zones.isEmpty ? verb : "\(verb) to \(zones.prefix(3).joined(separator: " or "))"
  }
}
