import MusterModel
import Testing

@Suite("Emergency contacts")
struct EmergencyContactTests {
  private static let id = ContactID(raw: Bytes16(high: 1, low: 2))
  private static let lisbon = Coordinate(latitudeE7: 387_000_000, longitudeE7: -91_000_000)

  private func contact(
    name: String = "Fire station", phone: String = "+351 (213) 924-700", note: String = ""
  ) -> EmergencyContact {
    EmergencyContact(id: Self.id, name: name, phone: phone, note: note, position: Self.lisbon)
  }

  @Test func `a contact is read as it was written`() throws {
    let contacts = [
      contact(), contact(name: "Santa María", note: "hospital, open day and night"),
      EmergencyContact(id: Self.id, name: "Emergency number", phone: "15"),
    ]
    for contact in contacts {
      #expect(contact.fault == nil)
      #expect(try EmergencyContact(decoding: contact.encoded()) == contact)
      #expect(Field.settingsContacts.accepts(.bytes(contact.encoded())))
    }
  }

  @Test func `texts out of range, other characters in numbers and cut bytes are rejected`() {
    let rejected = [
      contact(name: ""), contact(name: " "), contact(name: "two\nlines"),
      contact(name: String(repeating: "a", count: 81)), contact(phone: ""), contact(phone: "1"),
      contact(phone: "+ -()"), contact(phone: "112;ext=1"), contact(phone: "call 112"),
      contact(phone: "١١٢"), contact(phone: String(repeating: "1", count: 33)),
      contact(note: "two\nlines"), contact(note: String(repeating: "a", count: 201)),
    ]
    for contact in rejected {
      #expect(contact.fault != nil, "\(contact)")
      #expect(!Field.settingsContacts.accepts(.bytes(contact.encoded())), "\(contact)")
    }
    let longest = contact(
      name: String(repeating: "a", count: 80), phone: String(repeating: "1", count: 32),
      note: String(repeating: "a", count: 200))
    #expect(Field.settingsContacts.accepts(.bytes(longest.encoded())))
    let good = contact().encoded()
    #expect(!Field.settingsContacts.accepts(.bytes(good + [0])))
    for length in 0..<good.count {
      #expect(!Field.settingsContacts.accepts(.bytes(Array(good.prefix(length)))))
    }
    for (index, byte) in [(16, UInt8(2)), (17, 0x7F), (21, 0x7F)] {
      var bytes = good
      bytes[index] = byte
      #expect(!Field.settingsContacts.accepts(.bytes(bytes)))
    }
  }

  @Test func `an edit changes the given parts only`() {
    let before = contact(note: "open day and night")
    #expect(before.changed(by: ContactChanges()) == before)
    let after = before.changed(by: ContactChanges(name: "Fire", note: "", removesPosition: true))
    #expect(after == EmergencyContact(id: Self.id, name: "Fire", phone: before.phone))
    #expect(after.changed(by: ContactChanges(position: Self.lisbon)).position == Self.lisbon)
  }

  @Test func `an alert shows the number, other numbers, and the distance if it is known`() {
    let summary = ContactSummary(
      contact: contact(phone: "112", note: "day and night"), otherPhones: ["15"], callsign: "Ada",
      writtenAt: Timestamp(milliseconds: 0))
    var shown = AlertContact(summary)
    #expect(shown.words == "Fire station (day and night): 112 or 15")
    (shown.distanceMetres, shown.bearingDegrees) = (2140, 47)
    #expect(
      shown.words == "Fire station (day and night): 112 or 15, 2.1 km north-east (47°)")
  }
}
