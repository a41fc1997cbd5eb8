internal import MusterCRDT
internal import MusterModel

/// Converts a change of the emergency contacts into writes.
///
/// The contacts are elements of a set in the row of the operation's settings, so that concurrent
/// changes of several commanders merge. Of two concurrent edits of one contact, one is shown with
/// the numbers of both, and the next edit supersedes both. An edit survives a concurrent removal.
struct ContactEditor {
  private let state: RowState
  private let entries: [ContactList.Entry]

  /// - Parameter state: the row of the operation's settings.
  init(_ state: RowState) {
    self.state = state
    entries = ContactList.entries(of: state)
  }

  /// Returns the contact of a change, and its writes: none for an edit without changes.
  ///
  /// - Parameter new: the id of a contact that is added.
  func writes(
    for change: ContactWrite, new: ContactID
  ) throws(Refusal) -> (id: ContactID, writes: [Write]) {
    var composer = Composer(state, origin: nil)
    switch change {
    case .add(let draft):
      guard entries.count < Limits.contacts else {
        throw Refusal(
          "an operation has at most \(Limits.contacts) emergency contacts: remove one first")
      }
      let contact = EmergencyContact(id: new, draft)
      composer.insert(.settingsContacts, try Self.value(contact))
      return (new, composer.writes)
    case .edit(let reference, let changes):
      let entry = try entry(named: reference)
      let contact = entry.shown.changed(by: changes)
      if entry.dots.count > 1 || contact != entry.shown {
        composer.insert(
          .settingsContacts, try Self.value(contact),
          replacing: Array(entry.dots.prefix(Limits.supersededDots)))
      }
      return (contact.id, composer.writes)
    case .remove(let reference):
      let entry = try entry(named: reference)
      composer.remove(.settingsContacts, entry.dots)
      return (entry.shown.id, composer.writes)
    }
  }

  private static func value(_ contact: EmergencyContact) throws(Refusal) -> Value {
    if let fault = contact.fault { throw Refusal(fault) }
    return .bytes(contact.encoded())
  }

  private func entry(named reference: String) throws(Refusal) -> ContactList.Entry {
    guard let prefix = IdentifierPrefix(reference) else { throw .noID(reference) }
    let found = entries.filter { prefix.begins($0.shown.id) }
    guard let only = found.first else {
      throw Refusal(
        "no emergency contact \(reference): it was removed, or has not arrived here", .unknown)
    }
    guard found.count == 1 else {
      throw Refusal(
        "\(found.count) emergency contacts match \(reference): give more digits", .unknown)
    }
    return only
  }
}
