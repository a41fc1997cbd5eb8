/// A name as it is shown: an invisible or direction-changing character that no script needs at its
/// place is a mark, `�` (decision 0107).
///
/// The stored name stays as it was written. What scripts need stays: joiners between letters of
/// scripts that join, such as in Persian and Hindi; sequences of emoji; variants of ideographs.
public enum ShownName {
  /// What is shown in place of one or more characters.
  public static let mark: Unicode.Scalar = "\u{FFFD}"

  /// Returns the name with its marks. A name that was returned is returned unchanged.
  public static func text(of name: String) -> String {
    guard name.utf8.contains(where: { $0 >= 0x80 }) else { return name }
    let scalars = Array(name.unicodeScalars)
    guard !scalars.indices.allSatisfy({ isKept($0, in: scalars) }) else { return name }
    var shown = String.UnicodeScalarView()
    for index in scalars.indices {
      if isKept(index, in: scalars) {
        shown.append(scalars[index])
      } else if shown.last != mark {
        shown.append(mark)
      }
    }
    return String(shown)
  }

  /// Whether a character is invisible wherever it is.
  static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Braille without dots, and annotations between lines
    case 0x2800, 0xFFF9...0xFFFB: true
    default: scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static func isKept(_ index: Int, in scalars: [Unicode.Scalar]) -> Bool {
    let scalar = scalars[index]
    guard isInvisible(scalar) else { return true }
    let before = index > 0 ? scalars[index - 1] : nil
    let after = index + 1 < scalars.count ? scalars[index + 1] : nil
    guard let before else { return false }
    switch scalar.value {
    case 0x200B: return after.map { isUnspaced(before) && isUnspaced($0) } ?? false
    case 0x200C: return after.map { isOfJoiningScript(before) && isOfJoiningScript($0) } ?? false
    case 0x200D:
      guard let after else { return false }
      return isOfJoiningScript(before) && isOfJoiningScript(after)
        || endsEmoji(before) && isPicture(after)
    // Of Mongolian letters
    case 0x180B...0x180F: return (0x1820...0x18AA).contains(before.value)
    case 0xFE00...0xFE02: return before.properties.isIdeographic || isMyanmar(before)
    case 0xFE0E, 0xFE0F:
      return before.properties.isEmoji && (before.value > 0x7F || after?.value == 0x20E3)
    case 0xE0020...0xE007F: return isInFlag(index, of: scalars)
    case 0xE0100...0xE01EF: return before.properties.isIdeographic
    default: return false
    }
  }

  // MARK: Scripts

  /// Whether letters of the script join, or form clusters that a joiner changes.
  private static func isOfJoiningScript(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Arabic, Syriac, N'Ko, Mandaic; Indic; Tibetan, Myanmar; Khmer, Mongolian; Balinese and on;
    // Indic and Myanmar extensions; Arabic forms; Brahmic scripts beyond the first plane
    case 0x0600...0x08FF, 0x0900...0x0DFF, 0x0F00...0x109F, 0x1780...0x18AF, 0x1A20...0x1CFF,
      0xA800...0xA8FF, 0xA980...0xAAFF, 0xABC0...0xABFF, 0xFB50...0xFDFF, 0xFE70...0xFEFC,
      0x10A00...0x10AFF, 0x11000...0x11FFF, 0x1E900...0x1E95F:
      scalar.properties.isAlphabetic
        || scalar.properties.canonicalCombiningClass != .notReordered
    default: false
    }
  }

  /// Whether words of the script stand without blanks between them: Thai, Lao, Myanmar, Khmer, Tai.
  private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0E01...0x0EFF, 0x1000...0x109F, 0x1780...0x17D3, 0x1950...0x19DF, 0x1A20...0x1AAF: true
    default: false
    }
  }

  private static func isMyanmar(_ scalar: Unicode.Scalar) -> Bool {
    (0x1000...0x109F).contains(scalar.value) || (0xAA60...0xAA7F).contains(scalar.value)
  }

  // MARK: Emoji

  /// Digits and such are emoji only in keycaps.
  private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value > 0xFF && scalar.properties.isEmoji
  }

  private static func endsEmoji(_ scalar: Unicode.Scalar) -> Bool {
    isPicture(scalar) || scalar.value == 0xFE0F
  }

  /// Whether a tag belongs to a flag: a black flag, tags, and the tag that ends them.
  private static func isInFlag(_ index: Int, of scalars: [Unicode.Scalar]) -> Bool {
    func isTag(_ index: Int) -> Bool {
      scalars.indices.contains(index) && (0xE0020...0xE007F).contains(scalars[index].value)
    }
    var first = index
    while isTag(first - 1), scalars[first - 1].value != 0xE007F { first -= 1 }
    guard first > 0, scalars[first - 1].value == 0x1F3F4 else { return false }
    var last = first
    while isTag(last), scalars[last].value != 0xE007F { last += 1 }
    return isTag(last) && last > first && index <= last
  }
}
