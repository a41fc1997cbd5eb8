internal import ArgumentParser
internal import MusterGeo
internal import MusterModel

/// Why an argument is invalid.
struct BadArgument: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// `LAT,LON` in decimal degrees, or degrees with letters, UTM or MGRS.
struct PlaceArgument: Hashable {
  let coordinate: Coordinate

  init(parsing text: String) throws(BadArgument) {
    // Decimal degrees have no letters and no signs of degrees.
    if text.contains(where: { $0.isLetter || $0 == "°" }), text.contains(where: \.isNumber) {
      do throws(CoordinateFault) {
        coordinate = try CoordinateText.position(in: text)
        return
      } catch {
        throw BadArgument(error.description)
      }
    }
    let numbers = try DecimalList.parse(text, names: ["latitude", "longitude"])
    coordinate = try Self.coordinate(numbers[0], numbers[1])
  }

  fileprivate static func coordinate(
    _ latitude: Double, _ longitude: Double
  ) throws(BadArgument) -> Coordinate {
    guard (-90...90).contains(latitude) else {
      throw BadArgument("the latitude must be from -90 to 90 degrees, not \(latitude)")
    }
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
      throw BadArgument("the longitude must be from -180 to 180 degrees, not \(longitude)")
    }
    return coordinate
  }
}

/// `LAT,LON,METRES`: the centre and the radius of a circle.
struct CircleArgument: Hashable {
  let geometry: FenceGeometry

  init(parsing text: String) throws(BadArgument) {
    let numbers = try DecimalList.parse(text, names: ["latitude", "longitude", "radius"])
    let center = try PlaceArgument.coordinate(numbers[0], numbers[1])
    let centimetres = (numbers[2] * 100).rounded()
    guard centimetres >= 1, centimetres <= Double(Limits.circleRadiusCentimetres) else {
      throw BadArgument(
        "the radius must be from 0.01 to \(Limits.circleRadiusCentimetres / 100) metres,"
          + " not \(numbers[2])")
    }
    geometry = .circle(center: center, radiusCentimetres: UInt32(centimetres))
  }
}

/// A distance in metres, as the radius of a fix.
struct MetresArgument: Hashable {
  let decimetres: UInt32

  /// A fix with a larger radius is useless.
  private static let most = 1_000_000.0

  init(parsing text: String) throws(BadArgument) {
    let metres = try DecimalList.parse(text, names: ["accuracy"])[0]
    guard (0...Self.most).contains(metres) else {
      throw BadArgument("the accuracy must be from 0 to \(Int(Self.most)) metres")
    }
    decimetres = UInt32((metres * 10).rounded())
  }
}

/// Plain decimal numbers with commas between them: no exponents, no infinities, no NaN.
private enum DecimalList {
  static func parse(_ text: String, names: [String]) throws(BadArgument) -> [Double] {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == names.count else {
      throw BadArgument(
        "write \(names.joined(separator: ",")) without spaces between them, as in"
          + " \(["47.3769", "8.5417", "250"].prefix(names.count).joined(separator: ","))")
    }
    var numbers: [Double] = []
    for (part, name) in zip(parts, names) {
      let digits = part.drop { $0 == " " }
      guard digits.allSatisfy({ "0123456789.+-".contains($0) }), let number = Double(digits) else {
        throw BadArgument("the \(name) \"\(part)\" is not a decimal number")
      }
      numbers.append(number)
    }
    return numbers
  }
}

/// Southern and western coordinates begin with a minus sign, which the parser would read as the
/// beginning of an option.
enum CoordinateArguments {
  /// Returns the argument with a space before it if it is a minus sign, numbers and commas.
  static func shielded(_ argument: String) -> String {
    let rest = argument.dropFirst()
    guard argument.hasPrefix("-"), let first = rest.first, "0123456789.".contains(first),
      rest.contains(","), rest.allSatisfy({ "0123456789.,+-".contains($0) })
    else { return argument }
    return " " + argument
  }
}
