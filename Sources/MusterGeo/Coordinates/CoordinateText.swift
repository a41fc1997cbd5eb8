public import MusterModel

/// How positions are written.
public enum CoordinateFormat: String, CaseIterable, Hashable, Sendable {
  /// `47.37690,8.54170`.
  case decimal
  /// `47°22'36.8"N 8°32'30.1"E`.
  case dms
  /// `32T 465403 5247151`.
  case utm
  /// `32T MT 65403 47150`.
  case mgrs
}

/// Why a text is not a position.
public struct CoordinateFault: Error, Hashable, CustomStringConvertible {
  /// What is wrong, and what to write instead.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Positions as text: decimal degrees, degrees with minutes and seconds, UTM, and MGRS. For input
/// and output; all nodes store and compare integers. Links of map sites are read as well.
public enum CoordinateText {
  // MARK: Writing

  /// Returns the position as text. Beyond 80° S and 84° N, where UTM and MGRS are not used, the
  /// text is decimal.
  public static func text(_ position: Coordinate, as format: CoordinateFormat) -> String {
    switch format {
    case .decimal: decimal(position)
    case .dms:
      angle(position.latitudeE7, "N", "S") + " " + angle(position.longitudeE7, "E", "W")
    case .utm: GridPosition(position)?.utm ?? decimal(position)
    case .mgrs: GridPosition(position)?.mgrs ?? decimal(position)
    }
  }

  private static func decimal(_ position: Coordinate) -> String {
    decimal(position.latitudeE7) + "," + decimal(position.longitudeE7)
  }

  /// Five decimals: about a metre.
  private static func decimal(_ angle: Int32) -> String {
    let units = (angle.magnitude + 50) / 100
    let isNegative = angle < 0 && units > 0
    return "\(isNegative ? "-" : "")\(units / 100_000)." + padded(units % 100_000, to: 5)
  }

  private static func angle(_ angle: Int32, _ positive: String, _ negative: String) -> String {
    // Tenths of a second.
    let tenths = (UInt64(angle.magnitude) * 36_000 + 5_000_000) / 10_000_000
    let minutes = padded(UInt32(tenths / 600 % 60), to: 2)
    let seconds = padded(UInt32(tenths / 10 % 60), to: 2)
    return "\(tenths / 36_000)°\(minutes)'\(seconds).\(tenths % 10)\""
      + (angle < 0 ? negative : positive)
  }

  private static func padded(_ number: UInt32, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  // MARK: Reading

  /// Reads a position in any of the formats, a link of a map site, or a `geo:` URI. Of an MGRS
  /// square, the centre is returned.
  public static func position(in given: String) throws(CoordinateFault) -> Coordinate {
    guard given.utf8.count <= PlaceLink.longestBytes else {
      throw CoordinateFault("the text is too long for a position: write 47.3769,8.5417")
    }
    if let link = PlaceLink(trimmed(given)) { return try link.position() }
    let text = normalized(given)
    guard !text.isEmpty, text.utf8.count <= 100 else {
      throw CoordinateFault("a position is needed, as in 47.3769,8.5417 or 32T MT 65403 47150")
    }
    if let found = try grid(text) { return found }
    if text.contains(where: { "NSEW".contains($0) }) { return try angles(withPoints(text)) }
    if text.contains("°") { return try signedAngles(withPoints(text)) }
    guard let numbers = plainNumbers(text) else {
      throw CoordinateFault(
        "write decimal degrees (47.3769,8.5417), degrees with letters (47°22'36.8\"N "
          + "8°32'30.1\"E), UTM (32T 465403 5247151) or MGRS (32T MT 65403 47150)")
    }
    return try coordinate(numbers.0, numbers.1)
  }

  /// Returns the position of two plain numbers of which the first is the longitude, as GeoJSON and
  /// many programs write them; nil for any other text.
  public static func exchanged(in given: String) -> Coordinate? {
    guard given.utf8.count <= 100, let (longitude, latitude) = plainNumbers(normalized(given))
    else {
      return nil
    }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func plainNumbers(_ text: String) -> (Double, Double)? {
    let plain = hasDecimalCommas(text) ? withPoints(text) : text
    let numbers = plain.split(whereSeparator: { ",; ".contains($0) }).map { Double($0) }
    guard plain.allSatisfy({ "0123456789.+-,; ".contains($0) }), numbers.count == 2,
      let first = numbers[0], let second = numbers[1]
    else { return nil }
    return (first, second)
  }

  private static func normalized(_ text: String) -> String {
    var found = ""
    for character in text.uppercased() {
      switch character {
      case "º", "˚", "°":
        // A blank may stand before the sign.
        while found.last == " " { found.removeLast() }
        found.append("°")
      case "′", "’": found.append("'")
      case "″", "”": found.append("\"")
      // Minus signs, and the hyphens and dashes that programs put in their place.
      case "\u{2212}", "\u{2010}", "\u{2011}", "\u{2013}", "\u{FE63}", "\u{FF0D}":
        found.append("-")
      case "\u{FEFF}", "\u{200E}", "\u{200F}": break
      case "(", ")", "[", "]": found.append(" ")
      case let blank where blank.isWhitespace: found.append(" ")
      default: found.append(character)
      }
    }
    return trimmed(found)
  }

  private static func trimmed(_ text: String) -> String {
    let start = text.drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }

  /// Whether a text is two numbers with decimal commas, as in `46,5 7,5` and `46,5; 7,5`.
  private static func hasDecimalCommas(_ text: String) -> Bool {
    let halves = text.split(whereSeparator: { "; ".contains($0) }).map { half in
      half.last == "," ? half.dropLast() : half
    }
    return halves.count == 2 && !text.contains(".")
      && halves.allSatisfy { $0.count { $0 == "," } == 1 && $0.last != "," }
  }

  /// Replaces the commas between two digits by points, unless the text has points.
  private static func withPoints(_ text: String) -> String {
    guard !text.contains(".") else { return text }
    let characters = Array(text)
    let isDigit = characters.map { "0123456789".contains($0) }
    return String(
      characters.indices.map { index in
        let isWithin =
          index > 0 && index + 1 < characters.count && isDigit[index - 1] && isDigit[index + 1]
        return characters[index] == "," && isWithin ? "." : characters[index]
      })
  }

  private static func coordinate(
    _ latitude: Double, _ longitude: Double
  ) throws(CoordinateFault) -> Coordinate {
    guard (-90...90).contains(latitude) else {
      throw CoordinateFault("the latitude must be from -90 to 90 degrees, not \(latitude)")
    }
    guard let found = Coordinate(latitude: latitude, longitude: longitude) else {
      throw CoordinateFault("the longitude must be from -180 to 180 degrees, not \(longitude)")
    }
    return found
  }

  /// Returns an unsigned decimal number.
  private static func number(_ text: some StringProtocol) -> Double? {
    guard let first = text.first, first.isWholeNumber,
      text.allSatisfy({ "0123456789.".contains($0) })
    else { return nil }
    return Double(text)
  }
}

// MARK: - UTM and MGRS

extension CoordinateText {
  /// Reads UTM or MGRS. Returns nil if the text is in another format.
  private static func grid(_ text: String) throws(CoordinateFault) -> Coordinate? {
    let digits = text.prefix { "0123456789".contains($0) }
    let rest = text.dropFirst(digits.count).drop { $0 == " " }
    guard (1...2).contains(digits.count), let zone = Int(digits), let band = rest.first,
      band.isLetter
    else { return nil }
    for (name, isNorth) in [("NORTH", true), ("SOUTH", false)] where rest.hasPrefix(name) {
      guard let metres = metres(rest.dropFirst(name.count)) else { return nil }
      return try checked(
        GridPosition.position(
          zone: zone, isNorth: isNorth, easting: metres.0, northing: metres.1),
        "there is no such place in UTM zone \(zone): check easting and northing")
    }
    if let metres = metres(rest.dropFirst()) {
      return try checked(
        GridPosition.position(zone: zone, band: band, easting: metres.0, northing: metres.1),
        "there is no such place in UTM zone \(zone), band \(band): the letter is the band of "
          + "latitude (C to X); for a hemisphere write \(zone) north or \(zone) south")
    }
    return try square(zone, band, rest.dropFirst().filter { $0 != " " })
  }

  private static func square(
    _ zone: Int, _ band: Character, _ rest: String
  ) throws(CoordinateFault) -> Coordinate? {
    let letters = Array(rest.prefix(2))
    guard letters.count == 2, letters.allSatisfy(\.isLetter) else { return nil }
    let digits = rest.dropFirst(2).map { $0.isASCII ? $0.wholeNumberValue : nil }
    let numbers = digits.compactMap(\.self)
    guard numbers.count == digits.count, digits.count.isMultiple(of: 2),
      (2...10).contains(digits.count)
    else {
      throw CoordinateFault(
        "an MGRS reference ends with 2, 4, 6, 8 or 10 digits, as in 32T MT 65403 47150")
    }
    return try checked(
      GridPosition.position(
        zone: zone, band: band, letters: (letters[0], letters[1]), digits: numbers),
      "there is no MGRS square \(zone)\(band) \(letters[0])\(letters[1])")
  }

  private static func checked(
    _ position: Coordinate?, _ fault: String
  ) throws(CoordinateFault) -> Coordinate {
    guard let position else { throw CoordinateFault(fault) }
    return position
  }

  /// Returns easting and northing: two numbers, perhaps with `mE` and `mN` behind them.
  private static func metres(_ text: Substring) -> (Double, Double)? {
    let parts = text.split(whereSeparator: { ",; ".contains($0) })
    guard parts.count == 2 else { return nil }
    let numbers = zip(parts, ["E", "N"]).compactMap { part, letter in
      var part = part
      if part.hasSuffix(letter) { part.removeLast() }
      if part.hasSuffix("M") { part.removeLast() }
      return number(part)
    }
    // Smaller numbers are degrees, as in 47N 22 8.
    guard numbers.count == 2, numbers[0] >= 100_000 else { return nil }
    return (numbers[0], numbers[1])
  }
}

// MARK: - Degrees with letters

extension CoordinateText {
  /// Reads two angles with the letters of their hemispheres, before or behind both of them.
  private static func angles(_ text: String) throws(CoordinateFault) -> Coordinate {
    var halves: [(letter: Character, content: String)] = []
    var content = ""
    let isPrefix = text.first.map { "NSEW".contains($0) } ?? false
    for character in text {
      guard "NSEW".contains(character) else {
        if isPrefix, !halves.isEmpty {
          halves[halves.count - 1].content.append(character)
        } else {
          content.append(character)
        }
        continue
      }
      halves.append((character, isPrefix ? "" : content))
      content = ""
    }
    let isRest = content.contains { !",; ".contains($0) }
    guard halves.count == 2, !isRest,
      let vertical = halves.first(where: { "NS".contains($0.letter) }),
      let horizontal = halves.first(where: { "EW".contains($0.letter) })
    else {
      throw CoordinateFault(
        "write one angle with N or S and one with E or W, as in 47°22'36.8\"N 8°32'30.1\"E")
    }
    return try coordinate(
      degrees(vertical.content) * (vertical.letter == "S" ? -1 : 1),
      degrees(horizontal.content) * (horizontal.letter == "W" ? -1 : 1))
  }

  /// Reads two angles with degree signs and perhaps minus signs: `-33.8688°, 151.2093°`.
  private static func signedAngles(_ text: String) throws(CoordinateFault) -> Coordinate {
    let fault = CoordinateFault(
      "write two angles with degree signs, as in -33.8688°, 151.2093°, or with N, S, E and W")
    let signs = text.indices.filter { text[$0] == "°" }
    guard signs.count == 2 else { throw fault }
    // The second angle begins with the number before its degree sign.
    let number = text[..<signs[1]].reversed().prefix { "0123456789.+-".contains($0) }
    let start = text.index(signs[1], offsetBy: -number.count)
    guard start > signs[0] else { throw fault }
    let first = text[..<start].reversed().drop { ",; ".contains($0) }
    return try coordinate(
      signed(String(first.reversed())), signed(String(text[start...])))
  }

  private static func signed(_ text: String) throws(CoordinateFault) -> Double {
    let rest = text.first.map { "+-".contains($0) } == true ? String(text.dropFirst()) : text
    return try degrees(rest) * (text.first == "-" ? -1 : 1)
  }

  /// Returns the degrees of an angle: one to three numbers, of which the last may have decimals.
  private static func degrees(_ text: String) throws(CoordinateFault) -> Double {
    let fault = CoordinateFault(
      "\"\(text)\" is no angle: write degrees, minutes and seconds, each below 60 after the degrees"
    )
    let marks = text.filter { "°'\"".contains($0) }
    guard ["", "°", "°'", "°'\""].contains(marks) else { throw fault }
    let parts = text.split(whereSeparator: { "°'\",;: ".contains($0) })
    let numbers = parts.compactMap { number($0) }
    guard (1...3).contains(parts.count), numbers.count == parts.count,
      marks.count <= numbers.count, parts.dropLast().allSatisfy({ !$0.contains(".") }),
      numbers.dropFirst().allSatisfy({ $0 < 60 })
    else { throw fault }
    return zip(numbers, [1.0, 60, 3600]).reduce(0) { $0 + $1.0 / $1.1 }
  }
}
