/// What characters look like, as one small ASCII letter or sign each: a part of the data of UTS #39
/// and of the compatibility forms of Unicode, for names.
///
/// It covers Latin, Greek, Cyrillic, Armenian, Cherokee, Lisu, Coptic and some letters of other
/// scripts that look like Latin ones; full-width, mathematical, circled and squared letters,
/// ligatures, Roman numerals; digits of all scripts; quotation marks, apostrophes and dashes. The
/// table is fixed here, so that all nodes compare alike.
enum LookalikeTable {
  /// Returns what a character looks like; nil if it stands for itself.
  static func target(of scalar: Unicode.Scalar) -> String? {
    if let target = targets[scalar] { return target }
    guard let letter = computed(scalar) else { return nil }
    return targets[letter] ?? String(Character(letter).lowercased())
  }

  private static let targets: [Unicode.Scalar: String] = {
    var targets: [Unicode.Scalar: String] = [:]
    for (target, sources) in letters {
      for scalar in sources.unicodeScalars where scalar != " " { targets[scalar] = target }
    }
    for (source, target) in sequences { targets[source] = target }
    return targets
  }()

  /// By what they look like; blanks separate scripts.
  private static let letters: [(target: String, sources: String)] = [
    ("a", "ɑ ⍺ α а Α А Ꭺ ᗅ ꓮ Ⲁ"),
    ("b", "Ƅ Ь Ꮟ Β В Ᏼ ꓐ Ⲃ ℬ"),
    ("c", "ϲ с ᴄ ⲥ Ϲ С Ꮯ ꓚ Ⲥ ℂ ℭ"),
    ("d", "ԁ Ꮷ Ꭰ ꓓ ⅅ ⅆ"),
    ("e", "е ҽ ℮ ⲉ Ε Е Ꭼ ꓰ ⴹ Ⲉ ℯ ℰ ⅇ"),
    ("f", "ſ ք Ϝ ꓝ ℱ"),
    ("g", "ɡ ᶃ ց Ԍ Ꮐ ꓖ ℊ"),
    ("h", "һ հ Ꮒ Η Н Ꮋ ꓧ Ⲏ ℋ ℌ ℍ ℎ"),
    ("i", "l 1 | L ı ɪ ɩ Ɩ ι і ӏ Ӏ І Ι Ꭵ Ꮖ Ꮮ ꓲ ꓡ ⵏ ∣ │ ǀ Ⲓ ⲓ Ⳑ ℐ ℑ ℒ ℓ ℹ ⅈ"),
    ("j", "ϳ ј Ј Ꭻ ꓙ ⅉ"),
    ("k", "κ к ĸ ⲕ Κ К Ꮶ ꓗ Ⲕ"),
    ("m", "Μ М Ꮇ ꓟ Ⲙ ℳ"),
    ("n", "ո ռ Ν ꓠ Ⲛ ℕ"),
    ("o", "0 ο σ о օ ⲟ Ο О Օ ꓳ ⵔ Ⲟ 〇 ℴ"),
    ("p", "ρ ϱ р ⍴ ⲣ Ρ Р Ꮲ ꓑ Ⲣ ℘ ℙ"),
    ("q", "ԛ գ զ Ԛ ℚ"),
    ("r", "г ᴦ ⲅ ꭇ Ꭱ ꓣ Ʀ ℛ ℜ ℝ"),
    ("s", "ѕ ƽ ꜱ Ѕ Ꮥ Տ ꓢ"),
    ("t", "Τ Т Ꭲ ꓔ Ⲧ"),
    ("u", "υ ս ʋ ꭎ ᴜ Ս ꓴ"),
    ("v", "ν ѵ ᴠ Ѵ Ꮩ ꓦ ∨"),
    ("w", "ԝ ա ɯ ѡ ω ᴡ Ԝ Ꮃ ꓪ"),
    ("x", "х χ × ⲭ Χ Х ꓫ ⵝ Ⲭ"),
    ("y", "у γ ү ყ ʏ Υ ϒ У Ү Ꭹ ꓬ Ⲩ"),
    ("z", "ᴢ Ζ Ꮓ ꓜ Ⲍ ℤ ℨ"),
    ("'", "` ´ ‘ ’ ‛ ′ ʹ ʻ ʼ ʽ ˈ ՚ ꞌ"),
    ("\"", "“ ” „ ‟ ″ ʺ"),
    ("-", "‐ ‑ ‒ – — ― − ⁃ ˗ ﹘ ﹣"),
    (".", "․"),
    ("/", "⁄ ∕"),
  ]

  /// Those that look like several characters, and letters with an accent whose letter is above.
  private static let sequences: [(source: Unicode.Scalar, target: String)] = [
    ("ß", "ss"), ("ẞ", "ss"), ("æ", "ae"), ("Æ", "ae"), ("œ", "oe"), ("Œ", "oe"), ("ĳ", "ij"),
    ("Ĳ", "ij"), ("ﬀ", "ff"), ("ﬁ", "fi"), ("ﬂ", "fi"), ("ﬃ", "ffi"), ("ﬄ", "ffi"), ("ﬅ", "ft"),
    ("ﬆ", "st"), ("ǉ", "ij"), ("ǌ", "nj"), ("ю", "io"), ("ы", "bi"), ("Ы", "bi"), ("İ", "i"),
    ("Ⅱ", "ii"), ("Ⅲ", "iii"), ("Ⅳ", "iv"), ("Ⅵ", "vi"), ("Ⅶ", "vii"), ("Ⅷ", "viii"),
    ("Ⅸ", "ix"), ("Ⅺ", "xi"), ("Ⅻ", "xii"), ("ⅱ", "ii"), ("ⅲ", "iii"), ("ⅳ", "iv"), ("ⅵ", "vi"),
    ("ⅶ", "vii"), ("ⅷ", "viii"), ("ⅸ", "ix"), ("ⅺ", "xi"), ("ⅻ", "xii"), ("Ⅰ", "i"), ("ⅰ", "i"),
    ("Ⅴ", "v"), ("ⅴ", "v"), ("Ⅹ", "x"), ("ⅹ", "x"), ("Ⅼ", "i"), ("ⅼ", "i"), ("Ⅽ", "c"),
    ("ⅽ", "c"), ("Ⅾ", "d"), ("ⅾ", "d"), ("Ⅿ", "m"), ("ⅿ", "m"),
    ("ѐ", "e\u{300}"), ("Ѐ", "e\u{300}"), ("ё", "e\u{308}"), ("Ё", "e\u{308}"),
    ("ї", "i\u{308}"), ("Ї", "i\u{308}"), ("ў", "y\u{306}"), ("Ў", "y\u{306}"),
    ("ќ", "k\u{301}"), ("Ќ", "k\u{301}"), ("ѓ", "r\u{301}"), ("ӑ", "a\u{306}"),
    ("Ӑ", "a\u{306}"), ("ӓ", "a\u{308}"), ("Ӓ", "a\u{308}"), ("ӧ", "o\u{308}"),
    ("Ӧ", "o\u{308}"), ("ӗ", "e\u{306}"), ("Ӗ", "e\u{306}"), ("ӱ", "y\u{308}"),
    ("Ӱ", "y\u{308}"), ("ӯ", "y\u{304}"), ("Ӯ", "y\u{304}"), ("ӳ", "y\u{30B}"),
    ("Ӳ", "y\u{30B}"),
    ("ά", "a\u{301}"), ("Ά", "a\u{301}"), ("Έ", "e\u{301}"), ("Ή", "h\u{301}"),
    ("ί", "i\u{301}"), ("Ί", "i\u{301}"), ("ϊ", "i\u{308}"), ("Ϊ", "i\u{308}"),
    ("ό", "o\u{301}"), ("Ό", "o\u{301}"), ("ύ", "u\u{301}"), ("ϋ", "u\u{308}"),
    ("Ύ", "y\u{301}"), ("Ϋ", "y\u{308}"), ("ώ", "w\u{301}"),
    // Hebrew and Arabic, whose letters would reverse these lines
    ("\u{5D5}", "i"), ("\u{5DF}", "i"), ("\u{5C0}", "i"), ("\u{627}", "i"), ("\u{FE8D}", "i"),
    ("\u{FE8E}", "i"), ("\u{5E1}", "o"), ("\u{6D4}", "."), ("\u{5F3}", "'"), ("\u{5F4}", "\""),
    ("ĺ", "i\u{301}"), ("Ĺ", "i\u{301}"), ("ļ", "i\u{327}"), ("Ļ", "i\u{327}"),
    ("ľ", "i\u{30C}"), ("Ľ", "i\u{30C}"), ("ḷ", "i\u{323}"), ("Ḷ", "i\u{323}"),
    ("ḹ", "i\u{323}\u{304}"), ("Ḹ", "i\u{323}\u{304}"), ("ḻ", "i\u{331}"), ("Ḻ", "i\u{331}"),
    ("ḽ", "i\u{32D}"), ("Ḽ", "i\u{32D}"),
  ]

  /// Returns the ASCII character that a compatibility form or a digit stands for.
  private static func computed(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    let value = scalar.value
    switch value {
    case 0..<0x80: return nil
    case 0xFF01...0xFF5E: return Unicode.Scalar(value - 0xFEE0)
    // Thirteen mathematical alphabets, of capitals and small letters
    case 0x1D400...0x1D6A3:
      let letter = (value - 0x1D400) % 52
      return Unicode.Scalar(letter < 26 ? 0x41 + letter : 0x61 + letter - 26)
    case 0x1D6A4: return "i"
    case 0x1D6A5: return "j"
    case 0x249C...0x24B5: return Unicode.Scalar(0x61 + value - 0x249C)
    case 0x24B6...0x24CF: return Unicode.Scalar(0x41 + value - 0x24B6)
    case 0x24D0...0x24E9: return Unicode.Scalar(0x61 + value - 0x24D0)
    case 0x1F110...0x1F129: return Unicode.Scalar(0x41 + value - 0x1F110)
    case 0x1F130...0x1F149: return Unicode.Scalar(0x41 + value - 0x1F130)
    case 0x1F150...0x1F169: return Unicode.Scalar(0x41 + value - 0x1F150)
    case 0x1F170...0x1F189: return Unicode.Scalar(0x41 + value - 0x1F170)
    default: return digit(scalar)
    }
  }

  private static func digit(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    guard scalar.properties.numericType == .decimal || scalar.properties.numericType == .digit,
      let number = scalar.properties.numericValue, (0...9).contains(number)
    else { return nil }
    return Unicode.Scalar(0x30 + UInt32(number))
  }
}
