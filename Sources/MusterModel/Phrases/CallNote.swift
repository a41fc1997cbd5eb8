/// The note of a call for help that a program writes: parts, each a text of the catalogue, or of a
/// person.
///
/// The claim that all nodes hold has the English text alone, so that its readers find the parts in
/// it again. A note that a person alone wrote has none.
public struct CallNote: Hashable, Sendable {
  private static let separator = "; "

  /// In order.
  public let parts: [Phrase.Value]

  /// Creates a note.
  public init(_ parts: [Phrase.Value]) { self.parts = parts }

  /// What a claim has.
  public var text: String { parts.map(\.text).joined(separator: Self.separator) }

  /// The note for each language.
  public var phrase: Phrase { Phrase(.callNote, ["parts": .list(parts)]) }

  /// Returns nil for a note without a part that a program wrote first.
  public init?(reading text: some StringProtocol) {
    var (parts, isProgram): ([Phrase.Value], Bool) = ([], false)
    for part in text.split(separator: Self.separator) {
      let part = String(part)
      guard let phrase = Self.first(part) ?? (isProgram ? Self.further(part) : nil) else {
        parts.append(.text(part))
        continue
      }
      (isProgram, parts) = (true, parts + [.phrase(phrase)])
    }
    guard isProgram else { return nil }
    self.init(parts)
    // Whatever is read is written as it was.
    guard self.text == text else { return nil }
  }

  /// A part by which a program is known.
  private static func first(_ part: String) -> Phrase? {
    if let rest = part.after(Phrase(.phoneAlarm).text) { return alarm(rest) }
    guard let rest = part.after(Phrase(.unverifiedNote).text) else { return nil }
    if rest.isEmpty { return Phrase(.unverifiedNote) }
    return rest.after(" in the name of ").map { Phrase(.unverifiedNote, ["name": .text($0)]) }
  }

  private static func alarm(_ text: String) -> Phrase? {
    var (rest, values): (String, [String: Phrase.Value]) = (text, [:])
    func take(_ name: String, from start: String, to end: String) {
      guard let inner = rest.after(start), let stop = inner.firstRange(of: end) else { return }
      values[name] = .text(String(inner[..<stop.lowerBound]))
      rest = String(inner[stop.upperBound...])
    }
    take("word", from: " (", to: ")")
    take("battery", from: ", battery ", to: " %")
    take("made", from: ", made ", to: " by its clock, received ")
    if values["made"] != nil { (values["received"], rest) = (.text(rest), "") }
    return rest.isEmpty ? Phrase(.phoneAlarm, values) : nil
  }

  /// A part that follows one.
  private static func further(_ part: String) -> Phrase? {
    let token = Phrase(.sharedToken)
    if part == token.text { return token }
    if let address = part.after("\(token.text), from ") {
      return Phrase(.sharedToken, ["address": .text(address)])
    }
    if let rest = part.after("made at "), rest.hasSuffix(" by the phone's clock") {
      return Phrase(.madeAt, ["time": .text(String(rest.dropLast(21)))])
    }
    if let place = part.after("position ") {
      return Phrase(.atPosition, ["position": .text(place)])
    }
    return part.after("from ").map { Phrase(.fromAddress, ["address": .text($0)]) }
  }
}

extension String {
  /// Returns what follows a prefix; nil without it.
  fileprivate func after(_ prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
