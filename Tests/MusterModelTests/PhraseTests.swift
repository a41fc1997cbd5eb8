import Testing

@testable import MusterModel

@Suite struct `Texts of the node` {
  private func text(_ template: String, _ values: [String: Phrase.Value] = [:]) -> String {
    PhraseTemplate(template).text(with: values)
  }

  @Test func `have values in the places of their names`() {
    #expect(
      text("{name}: {n} m", ["name": .text("Ben {n} [x]"), "n": .number(3)]) == "Ben {n} [x]: 3 m")
    #expect(text("{name} is here") == " is here")
    #expect(text("{a}", ["a": .phrase(.atAssembly, ["zone": .text("School")])]).hasSuffix("School"))
  }

  @Test func `join lists with commas, or with the words of the text`() {
    let zones: [String: Phrase.Value] = ["zones": .texts(["School", "Pool", "Park"])]
    #expect(text("to {zones}", zones) == "to School, Pool, Park")
    #expect(text("to {zones: or }", zones) == "to School or Pool or Park")
    #expect(text("to {zones: or }", ["zones": .text("School")]) == "to School")
  }

  @Test func `leave out a segment with an empty value`() {
    #expect(text("asked[: {note}]", ["note": .text("leg")]) == "asked: leg")
    #expect(text("asked[: {note}]", ["note": .text("")]) == "asked")
    #expect(text("asked[: {note}]") == "asked")
    #expect(
      text("go[ to {zones}][: {note}]", ["zones": .list([]), "note": .text("now")]) == "go: now")
    #expect(text("[{n} more]", ["n": .number(0)]) == "0 more")
  }

  @Test func `have a form for one and a form for others`() {
    let forms = "{n} person|{n} people"
    #expect(
      [0, 1, 2].map { text(forms, ["n": .number($0)]) } == ["0 people", "1 person", "2 people"])
  }

  @Test func `are in the catalogue under each key`() {
    #expect(Set(PhraseKey.english.keys) == Set(PhraseKey.allCases))
    #expect(Set(PhraseKey.english.values).count > 140)
  }

  @Test func `name each kind of thing that alerts name`() {
    func words(_ group: String, _ cases: [some NamedCase]) {
      for one in cases {
        #expect(PhraseKey(rawValue: "\(group).\(one.name)") != nil, "\(group).\(one.name)")
      }
    }
    words("as", Role.allCases)
    words("category", ReportCategory.allCases)
    words("bound", BoundedTable.allCases)
    words("late", DirectiveKind.allCases)
    words("done", DirectiveKind.allCases.filter(\.isOrder))
  }

  @Test func `keep a text without a key as it is`() {
    #expect(Phrase(verbatim: "{a} [b] | c").text == "{a} [b] | c")
  }

  @Test func `name a person without a callsign in each language, and no one who is called so`() {
    let id = UserID(raw: Bytes16(high: 1, low: 2))
    var person = UserSummary(
      id: id, callsign: "unknown person \(id.short)", role: .member, status: .expected,
      severity: .neutral, reason: "", fix: nil, reportedAt: nil, fixAgeSeconds: nil, team: "",
      trackerOwner: nil, selfReport: nil, override: nil)
    #expect(person.shownName == .text(person.callsign))
    person.conditions = [.certificateMissing]
    #expect(person.shownName == .phrase(.unknownPerson, ["id": .text(id.short)]))
    #expect(
      person.alertName.text
        == "unknown person \(id.short) (certificate not yet received)")
    person.callsign = "Ben"
    #expect(person.alertName.text == "Ben (certificate not yet received)")
  }

  @Test func `a note of a program is read again in its parts, and one of a person is not`() {
    let notes = [
      "alarm by the phone", "alarm by the phone (fall), battery 80 %",
      "alarm by the phone, made 2026-01-02T03:04:05Z by its clock, received 2026-01-02T03:09:05Z",
      "alarm by the phone, battery 9 %; by the token of all phones",
      "alarm by the phone; by the token of all phones, from 10.0.0.3",
      "alarm by the phone; by the token of all phones; unverified call in the name of Ben; made at "
        + "2026-01-02T03:04:05Z by the phone's clock; position 47.1,8.2; from 10.0.0.3",
      "my leg; is it broken?; unverified call; from 10.0.0.3",
    ]
    for text in notes {
      let note = CallNote(reading: text)
      #expect(note?.text == text)
      #expect(note?.phrase.text == text)
      #expect(note?.parts.contains { if case .phrase = $0 { true } else { false } } == true)
    }
    #expect(
      CallNote(reading: notes[1])?.parts
        == [.phrase(.phoneAlarm, ["word": .text("fall"), "battery": .text("80")])])
    let person = [
      "", "from the north; position unclear", "the alarm by the phone", "alarm by the phones",
      "alarm by the phone (", "alarm by the phone, battery x",
    ]
    for text in person { #expect(CallNote(reading: text) == nil, "\(text)") }
  }
}
