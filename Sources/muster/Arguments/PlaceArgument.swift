internal import ArgumentParser
internal import MusterGeo
internal import MusterModel

/// Why an argument is invalid.
struct BadArgument: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// `LAT,LON` in decimal degrees, or degrees with letters, UTM, MGRS, or a link of a map site.
struct PlaceArgument: Hashable {
  /// Nil if the text is a position only with latitude and longitude exchanged.
  let given: Coordinate?
  /// The position of two plain numbers with the longitude first; nil if that is none.
  let exchanged: Coordinate?

  init(parsing text: String) throws(BadArgument) {
    exchanged = CoordinateText.exchanged(in: text)
    do throws(CoordinateFault) {
      given = try CoordinateText.position(in: text)
    } catch {
      guard exchanged != nil else { throw BadArgument(error.description) }
      given = nil
    }
  }
}

/// `LAT,LON,METRES`: the centre of a circle, in the formats of `PlaceArgument`, and its radius.
struct CircleArgument: Hashable {
  let center: PlaceArgument
  let radiusCentimetres: UInt32

  init(parsing text: String) throws(BadArgument) {
    guard let mark = text.lastIndex(where: { ",;".contains($0) }) else {
      throw BadArgument("write latitude, longitude and metres, as in 47.3769,8.5417,250")
    }
    do throws(BadArgument) {
      center = try PlaceArgument(parsing: String(text[..<mark]))
    } catch {
      throw BadArgument("before the radius, write the centre as a position: \(error)")
    }
    let metres = try DecimalNumber.parse(text[mark...].dropFirst(), name: "radius")
    let centimetres = (metres * 100).rounded()
    guard centimetres >= 1, centimetres <= Double(Limits.circleRadiusCentimetres) else {
      throw BadArgument(
        "the radius must be from 0.01 to \(Limits.circleRadiusCentimetres / 100) metres,"
          + " not \(metres)")
    }
    radiusCentimetres = UInt32(centimetres)
  }
}

/// A distance in metres, as the radius of a fix.
struct MetresArgument: Hashable {
  let decimetres: UInt32

  /// A fix with a larger radius is useless.
  private static let most = 1_000_000.0

  init(parsing text: String) throws(BadArgument) {
    let metres = try DecimalNumber.parse(text[...], name: "accuracy")
    guard (0...Self.most).contains(metres) else {
      throw BadArgument("the accuracy must be from 0 to \(Int(Self.most)) metres")
    }
    decimetres = UInt32((metres * 10).rounded())
  }
}

/// A plain decimal number: no exponent, no infinity, no NaN.
private enum DecimalNumber {
  static func parse(_ text: Substring, name: String) throws(BadArgument) -> Double {
    let digits = text.drop(while: \.isWhitespace)
    guard digits.allSatisfy({ "0123456789.+-".contains($0) }), let number = Double(digits) else {
      throw BadArgument("the \(name) \"\(text)\" is not a decimal number")
    }
    return number
  }
}

/// Southern and western coordinates begin with a minus sign, which the parser would read as the
/// beginning of an option.
enum CoordinateArguments {
  /// Joins the parts of a position that stand without quotes, as in `--at -33.8, 151.2`.
  static func joined(_ arguments: [String]) -> [String] {
    arguments.reduce(into: []) { joined, argument in
      guard let last = joined.last, isPart(argument),
        let number = last.split(separator: " ").last, isPart(String(number)),
        ",;".contains(number.last ?? " ")
          || joined.dropLast().last == "--at" && !last.contains(where: { ", ;".contains($0) })
      else { return joined.append(argument) }
      joined[joined.count - 1] = "\(last) \(argument)"
    }
  }

  /// Whether a text is a number, perhaps with a degree sign or a comma behind it.
  private static func isPart(_ text: String) -> Bool {
    let digits = "0123456789"
    return text.contains(where: digits.contains)
      && text.allSatisfy { "\(digits).+-\u{2212}°,;".contains($0) }
  }

  /// Returns the argument with a space before it if it is a minus sign and several numbers, perhaps
  /// with the signs of angles and the letters of hemispheres.
  static func shielded(_ argument: String) -> String {
    let rest = argument.dropFirst()
    guard argument.hasPrefix("-"), let first = rest.first, "0123456789.".contains(first),
      rest.contains(where: { !"0123456789.".contains($0) }),
      rest.allSatisfy({ !$0.isLetter || "NSEWnsew".contains($0) })
    else { return argument }
    return " " + argument
  }
}
