import Testing

@testable import MusterModel

/// Which names look alike, and how a name is shown (decision 0107).
struct NameLikenessTests {
  private func areAlike(_ one: String, _ two: String) -> Bool {
    NameLikeness(one).isLike(NameLikeness(two))
  }

  /// Invisible characters, and those that only change the direction.
  private static let hidden: [String] = [
    "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{061C}", "\u{AD}", "\u{34F}",
    "\u{2060}", "\u{2063}", "\u{FEFF}", "\u{FE0F}", "\u{FE01}", "\u{E0101}", "\u{E0041}",
    "\u{E0001}", "\u{115F}", "\u{1160}", "\u{3164}", "\u{FFA0}", "\u{17B4}", "\u{180B}",
    "\u{180E}", "\u{2800}", "\u{FFF9}", "\u{1D173}",
  ]

  @Test(
    "a name with a hidden character is like the one without, and shows a mark", arguments: hidden)
  func hides(character: String) {
    for name in ["An\(character)na", "\(character)Anna", "Anna\(character)\(character)"] {
      #expect(areAlike(name, "Anna"))
      let shown = ShownName.text(of: name)
      #expect(shown != "Anna" && shown.unicodeScalars.count { $0 == ShownName.mark } == 1)
      #expect(ShownName.text(of: shown) == shown, "marks stay")
      #expect(areAlike(shown, "Anna"), "marks do not count")
    }
  }

  @Test("blanks and case do not distinguish names")
  func blanks() {
    for name in ["ANNA", "anna", "Anna ", " Anna", "An\u{A0}na", "A\u{2009}nna", "Anna\u{3000}"] {
      #expect(areAlike(name, "Anna"), "\(name)")
    }
    #expect(areAlike("Straße", "STRASSE") && areAlike("ΑΝΝΑ", "Αννα") && areAlike("ВЕРА", "Вера"))
  }

  @Test(
    "names of other letters that look the same are alike",
    arguments: [
      ("Anna", "Аnna"), ("Anna", "Αnna"), ("ANNA", "ΑΝΝΑ"), ("Anna", "Ａｎｎａ"), ("Anna", "𝐀𝐧𝐧𝐚"),
      ("Anna", "Ⓐⓝⓝⓐ"), ("Mia", "Мiа"), ("Mia", "Mіa"), ("Ian", "lan"), ("Team 1", "Team I"),
      ("Team 1", "Team １"), ("Team 12", "Team ١٢"), ("Bo", "B0"), ("Bo", "Вο"), ("Arne", "Ame"),
      ("Ben", "Вen"), ("O'Brien", "O’Brien"), ("Anne-Lise", "Anne‑Lise"), ("Felix", "Feⅼiⅹ"),
      ("Café", "Cafe\u{301}"), ("Zoë", "Zoё"), ("Fiona", "ﬁona"), ("Sam", "Ѕаm"), ("Hans", "Ηans"),
      ("Oskar", "Օskar"), ("Xenia", "Хenia"), ("Milan", "Mi1an"), ("Mía", "Mi\u{301}a"),
    ])
  func looksLike(one: String, two: String) {
    #expect(areAlike(one, two) && areAlike(two, one))
  }

  @Test("names that look different are not alike")
  func differs() {
    let names = [
      "Anna", "Hanna", "Anne", "Änna", "Ana", "Ben", "Bent", "Cléo", "Cleo", "Вера", "Νίκος", "Ada",
      "علی", "رضا", "प्रिया", "राम", "张伟", "王芳", "👩‍🚒", "👨‍🚒", "Team 1", "Team 2", "खान",
    ]
    for (index, name) in names.enumerated() {
      for other in names[(index + 1)...] { #expect(!areAlike(name, other), "\(name), \(other)") }
    }
    #expect(NameLikeness.groups(of: names) == [])
  }

  @Test("ASCII names have the same skeleton by the shorter way")
  func ascii() {
    let scalars = (UInt8(0)..<128).map { Character(Unicode.Scalar($0)) }
    for first in scalars {
      for second in scalars {
        for name in ["\(first)\(second)n", "A\(first)r\(second)"] {
          #expect(NameLikeness(name) == NameLikeness(anyScript: name), "\(name.utf8.map(Int.init))")
        }
      }
    }
  }

  @Test(
    "names of scripts that join, of ideographs and of emoji stay whole",
    arguments: [
      "خانه\u{200C}دار", "می\u{200C}خواهم", "علی\u{200C}رضا", "क्\u{200D}ष", "ज्\u{200C}ञान",
      "ශ්\u{200D}රී", "ക്\u{200D}ക", "葛\u{E0100}城", "👩\u{200D}🚒", "👩🏽\u{200D}🚒",
      "🏳\u{FE0F}\u{200D}🌈", "❤\u{FE0F}", "1\u{FE0F}\u{20E3}", "☎\u{FE0E}",
      "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "🇨🇭 Team", "ក\u{200B}ខ",
      "ᠭ\u{180B}ᠠ", "José", "Ωμέγα", "Team – 1", "Anna\u{A0}Berg",
    ])
  func stay(name: String) {
    #expect(Array(ShownName.text(of: name).unicodeScalars) == Array(name.unicodeScalars))
  }

  @Test("a joiner that joins nothing is a mark, also in names of scripts that join")
  func joinsNothing() {
    for name in [
      "علی\u{200C}", "\u{200C}علی", "ع\u{200C}\u{200C}لی", "A\u{200D}नna", "👩\u{200D}A",
      "1\u{FE0F}2", "🏴\u{E0067}\u{E0062}", "A\u{E007F}", "علی\u{200F}",
    ] {
      #expect(ShownName.text(of: name).unicodeScalars.contains(ShownName.mark), "\(name)")
    }
    // With a joiner where it changes nothing to see, a name is still like the one without.
    #expect(areAlike("رضا", "ر\u{200C}ضا"))
  }

  @Test("groups hold everyone who is like another one of the group")
  func groups() {
    let names = ["Anna", "Ben", "Аnna", "Cleo", "ANNA", "BEN", "ΑΝΝΑ", "Αννα"]
    #expect(NameLikeness.groups(of: names) == [[0, 2, 4, 6, 7], [1, 5]])
    #expect(NameLikeness.groups(of: []) == [] && NameLikeness.groups(of: ["Anna"]) == [])
  }

  @Test("a name may look like a role or like an id")
  func rolesAndIDs() {
    #expect(NameLikeness("Command").role == .command)
    #expect(NameLikeness("Соmmand P0st").role == .command)
    #expect(NameLikeness("member").role == .member && NameLikeness("Commander").role == .command)
    #expect(NameLikeness("Anna").role == nil && NameLikeness("Command 2").role == nil)
    let id = UserID(raw: Bytes16(high: 0x3F9A_1C20_0000_0000, low: 1))
    for name in ["3f9a1c20", "3F9A", "3f9aIc2O", "３ｆ９ａ", "\(id)"] {
      #expect(NameLikeness(name).isLike(id: id), "\(name)")
    }
    for name in ["3f9", "9a1c", "3f9b", "Anna", "3f9a\(id)"] {
      #expect(!NameLikeness(name).isLike(id: id), "\(name)")
    }
  }

  @Test("of namesakes the first digits of the id are shown")
  func namesakes() {
    let ids = (UInt64(1)...3).map { UserID(raw: Bytes16(high: $0 << 32, low: 0)) }
    let all = Namesakes([(ids[0], "Anna"), (ids[1], "Аnna"), (ids[2], "Ben")])
    #expect(all.text("Anna", of: ids[0]) == "Anna (00000001)")
    #expect(all.text("Аnna", of: ids[1]) == "Аnna (00000002)")
    #expect(all.text("Ben", of: ids[2]) == "Ben")
  }
}
