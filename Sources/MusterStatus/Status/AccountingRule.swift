internal import MusterModel

/// Selects command's accountings that are still valid.
///
/// An accounting ends with a help claim that it does not name; with an order or timer that it does
/// not name, once that may be past due; and with a fix in a hazard zone, newer than the one it
/// names, of a device that it does not list as away.
struct AccountingRule {
  let person: PersonEvidence
  let scene: StatusScene
  let orders: OrderReview
  /// The timers that are not satisfied.
  let timers: [TimerEvidence]
  let clock: StatusClock
  let notWithPerson: Set<DeviceID>

  /// Command's accountings first, then those of the person's logins.
  var valid: [AccountingEvidence] {
    let relayed = person.statements.relayed.filter { $0.claim == .safe }.map {
      AccountingEvidence(
        by: $0.by ?? "a login", note: $0.note, claims: $0.seen, rows: [], positions: [:],
        away: notWithPerson)
    }
    return (person.statements.accountings + relayed).filter(holds)
  }

  private func holds(_ accounting: AccountingEvidence) -> Bool {
    person.statements.calls.allSatisfy { accounting.claims.contains($0.dot) }
      && orders.open.allSatisfy { accounting.rows.contains($0.id) || !isPastDue($0) }
      && timers.allSatisfy {
        accounting.rows.contains($0.id) || clock.boot < $0.effectiveDue.earliest
      }
      && person.devices.allSatisfy { !isInDanger($0, beyond: accounting) }
  }

  private func isPastDue(_ order: OrderEvidence) -> Bool {
    orders.satisfaction(of: order) == nil && orders.lateness(of: order) != .ordered
  }

  private func isInDanger(_ device: StatusDevice, beyond accounting: AccountingEvidence) -> Bool {
    if accounting.away.contains(device.id) { return false }
    let named = accounting.positions[device.id]
    let later = device.history.fixes.filter { fix in named.map { fix.order > $0 } ?? true }
    return !HazardReplay.zones(later, isRevoked: device.isRevoked, in: scene).isEmpty
  }
}
