/// An emergency service, such as a hospital or a fire station, or another number to call.
///
/// Command keeps a short list of them for an operation: elements of a set in the row of the
/// operation's settings. An edit writes the contact again under the same id and supersedes the
/// earlier element, so that concurrent changes of several commanders merge.
public struct EmergencyContact: Codable, Hashable, Sendable {
  /// Stays the same over all edits.
  public let id: ContactID
  /// One line, at most `Limits.contactNameBytes`.
  public let name: String
  /// Digits, spaces, `+`, `-` and brackets, at most `Limits.phoneBytes`.
  public let phone: String
  /// Such as `hospital, open day and night`: one line, or empty.
  public let note: String
  /// Nil for a number without a position, such as a national emergency number.
  public let position: Coordinate?

  /// Creates a contact. Nothing is validated here: one with a `fault` is rejected on write.
  public init(
    id: ContactID, name: String, phone: String, note: String = "", position: Coordinate? = nil
  ) {
    self.id = id
    self.name = name
    self.phone = phone
    self.note = note
    self.position = position
  }

  /// Returns why replicas reject it, for the user who entered it; nil if it is allowed.
  public var fault: String? {
    Self.fault(name: name) ?? Self.fault(phone: phone) ?? Self.fault(note: note)
  }

  /// Returns why a name is rejected; nil if it is allowed.
  public static func fault(name: String) -> String? {
    if let fault = TextRule.line.fault(in: name) { return "the name \(fault)" }
    let (length, most) = (name.utf8.count, Limits.contactNameBytes)
    return length > most ? "the name is \(length) bytes long; at most \(most) are allowed" : nil
  }

  /// Returns why a phone number is rejected; nil if it is allowed.
  public static func fault(phone: String) -> String? {
    let (length, most) = (phone.utf8.count, Limits.phoneBytes)
    if length > most {
      return "the phone number is \(length) bytes long; at most \(most) are allowed"
    }
    guard phone.utf8.allSatisfy({ isDigit($0) || "+ -()".utf8.contains($0) }),
      phone.utf8.count(where: isDigit) >= leastDigits
    else {
      return "a phone number is at least \(leastDigits) digits, with +, -, spaces and brackets "
        + "between them, such as +351 213 217 777"
    }
    return nil
  }

  /// Returns why a note is rejected; nil if it is allowed.
  public static func fault(note: String) -> String? {
    guard !note.isEmpty, let fault = TextRule.line.fault(in: note) else { return nil }
    return "the note \(fault)"
  }

  /// The shortest emergency numbers, such as 15 and 18 in France.
  private static let leastDigits = 2

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

// MARK: Encoding

extension EmergencyContact {
  /// Id, 1 with a position or 0, position, then name, phone number and note as texts.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(id)
    writer.append(UInt8(position == nil ? 0 : 1))
    position?.append(to: &writer)
    writer.append(name)
    writer.append(phone)
    writer.append(note)
    return writer.bytes
  }

  /// Reads what `encoded` returned. Throws for a contact with a `fault`.
  public init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    let id = try reader.identifier(ContactID.self)
    let flag = try reader.integer(UInt8.self)
    guard flag <= 1 else { throw .invalid("emergency contact") }
    let position = flag == 1 ? try Coordinate(from: &reader) : nil
    let (name, phone, note) = (try reader.text(), try reader.text(), try reader.text())
    try reader.expectEnd()
    self.init(id: id, name: name, phone: phone, note: note, position: position)
    guard fault == nil else { throw .invalid("emergency contact") }
  }

  /// Whether bytes are a contact that all replicas accept.
  static func accepts(_ bytes: [UInt8]) -> Bool {
    do throws(DecodingFault) {
      _ = try EmergencyContact(decoding: bytes)
      return true
    } catch {
      return false
    }
  }
}

// MARK: Changing

extension EmergencyContact {
  /// Creates a new contact.
  public init(id: ContactID, _ draft: ContactDraft) {
    self.init(
      id: id, name: draft.name, phone: draft.phone, note: draft.note, position: draft.position)
  }

  /// Returns the contact with changes.
  public func changed(by changes: ContactChanges) -> EmergencyContact {
    EmergencyContact(
      id: id, name: changes.name ?? name, phone: changes.phone ?? phone,
      note: changes.note ?? note,
      position: changes.removesPosition ? nil : changes.position ?? position)
  }
}

/// What command changes in the list of emergency contacts. A `String` that names a contact is its
/// id, or at least four digits of it.
public enum ContactWrite: Codable, Hashable, Sendable {
  case add(ContactDraft)
  case edit(String, ContactChanges)
  case remove(String)
}

/// A new emergency contact, as its author enters it.
public struct ContactDraft: Codable, Hashable, Sendable {
  /// As in `EmergencyContact`.
  public var name: String
  /// As in `EmergencyContact`.
  public var phone: String
  /// As in `EmergencyContact`.
  public var note: String
  /// As in `EmergencyContact`.
  public var position: Coordinate?

  /// Creates a draft. Nothing is validated here: a value out of range is rejected on write.
  public init(name: String, phone: String, note: String = "", position: Coordinate? = nil) {
    self.name = name
    self.phone = phone
    self.note = note
    self.position = position
  }
}

/// Changes to an emergency contact; nil leaves a part unchanged.
public struct ContactChanges: Codable, Hashable, Sendable {
  /// The new name.
  public var name: String?
  /// The new phone number.
  public var phone: String?
  /// The new note; empty removes it.
  public var note: String?
  /// Moves the contact.
  public var position: Coordinate?
  /// Removes the position.
  public var removesPosition: Bool

  /// Creates a set of changes. Nothing is validated here: a value out of range is rejected on
  /// write.
  public init(
    name: String? = nil, phone: String? = nil, note: String? = nil, position: Coordinate? = nil,
    removesPosition: Bool = false
  ) {
    self.name = name
    self.phone = phone
    self.note = note
    self.position = position
    self.removesPosition = removesPosition
  }
}

// MARK: Display

/// An emergency contact, as known to this node.
public struct ContactSummary: Codable, Hashable, Sendable {
  /// The contact; of several concurrent edits, one that all nodes select alike.
  public var contact: EmergencyContact
  /// Different numbers from concurrent edits of this contact, at most
  /// `Limits.phonesPerContact` with that of `contact`.
  public var otherPhones: [String]
  /// The author of the newest edit.
  public var callsign: String
  /// By the author's clock: a label.
  public var writtenAt: Timestamp

  /// Creates a summary.
  public init(
    contact: EmergencyContact, otherPhones: [String] = [], callsign: String, writtenAt: Timestamp
  ) {
    self.contact = contact
    self.otherPhones = otherPhones
    self.callsign = callsign
    self.writtenAt = writtenAt
  }
}

/// An emergency contact that an alert shows.
public struct AlertContact: Codable, Hashable, Sendable {
  /// The contact.
  public var contact: EmergencyContact
  /// As in `ContactSummary`.
  public var otherPhones: [String]
  /// Distance from the person or the report, rounded; nil if one of the positions is not known.
  public var distanceMetres: Int64?
  /// Bearing from there, clockwise from north, 0 to 359; nil without a distance.
  public var bearingDegrees: Int64?

  /// Creates a contact without a distance.
  public init(_ summary: ContactSummary) {
    contact = summary.contact
    otherPhones = summary.otherPhones
  }

  /// The contact in a line: `Santa Maria (hospital): 217 805 000, 2.1 km north-east (47°)`.
  public var words: String {
    let note = contact.note.isEmpty ? "" : " (\(contact.note))"
    let phones = ([contact.phone] + otherPhones).joined(separator: " or ")
    let way = distanceMetres.map {
      ", " + ZoneDirection.words(metres: $0, degrees: bearingDegrees)
    }
    return "\(contact.name)\(note): \(phones)\(way ?? "")"
  }
}
