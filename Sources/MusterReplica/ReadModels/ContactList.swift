internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// The emergency contacts of the operation, from the row of its settings.
struct ContactList {
  let context: ReadContext

  /// One contact with its live elements, the shown one first: several after concurrent edits.
  struct Entry {
    let elements: [(value: LiveValue, contact: EmergencyContact)]

    var shown: EmergencyContact { elements[0].contact }
    var dots: [Dot] { elements.map(\.value.dot) }
  }

  /// Returns the contacts that count: the first ones by id, at most `Limits.contacts`.
  static func entries(of row: RowState?) -> [Entry] {
    var elements: [ContactID: [(value: LiveValue, contact: EmergencyContact)]] = [:]
    for value in row?.values(of: .settingsContacts) ?? [] {
      guard let contact = contact(in: value.value) else { continue }
      elements[contact.id, default: []].append((value, contact))
    }
    return elements.sorted { $0.key < $1.key }.prefix(Limits.contacts).map { _, values in
      Entry(elements: values.sorted { $0.value.dot > $1.value.dot })
    }
  }

  private static func contact(in value: Value) -> EmergencyContact? {
    guard case .bytes(let bytes) = value else { return nil }
    do throws(DecodingFault) {
      return try EmergencyContact(decoding: bytes)
    } catch {
      return nil
    }
  }

  /// Returns the contacts by name.
  func contacts() throws(StoreError) -> [ContactSummary] {
    let key = SettingsReader(context: context).key(for: nil)
    var found: [ContactSummary] = []
    for entry in Self.entries(of: try context.row(key)) {
      guard let newest = entry.elements.first?.value else { continue }
      var phones = [entry.shown.phone]
      for phone in entry.elements.map(\.contact.phone) where !phones.contains(phone) {
        phones.append(phone)
      }
      found.append(
        ContactSummary(
          contact: entry.shown,
          otherPhones: Array(phones.prefix(Limits.phonesPerContact).dropFirst()),
          callsign: try context.authorship(of: newest).text, writtenAt: newest.writtenAt))
    }
    return found.sorted {
      ($0.contact.name, $0.contact.id) < ($1.contact.name, $1.contact.id)
    }
  }
}
