// The only file of this target that depends on the C library in use.
#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Functions that the standard library lacks. C libraries may differ in the last bit of a result,
/// so nothing that nodes must agree on is computed with them.
enum Trigonometry {
  static func sine(_ radians: Double) -> Double { sin(radians) }
  static func cosine(_ radians: Double) -> Double { cos(radians) }
  static func arcTangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }

  /// Clockwise from north, 0 up to 360.
  static func bearingDegrees(east: Double, north: Double) -> Double {
    let degrees = atan2(east, north) * 180 / .pi
    return degrees < 0 ? degrees + 360 : degrees
  }

  static func hyperbolicSine(_ value: Double) -> Double { sinh(value) }
  static func hyperbolicCosine(_ value: Double) -> Double { cosh(value) }
  static func inverseHyperbolicSine(_ value: Double) -> Double { asinh(value) }
  static func inverseHyperbolicTangent(_ value: Double) -> Double { atanh(value) }
  static func arcTangent(_ value: Double) -> Double { atan(value) }

  static func cubeRoot(_ value: Double) -> Double { cbrt(value) }

  static func hypotenuse(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }

  /// Sine and cosine of an angle in degrees, exact at multiples of 90.
  static func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
    let quarter = (degrees / 90).rounded()
    let rest = (degrees - 90 * quarter) * .pi / 180
    let (s, c) = (sin(rest), cos(rest))
    switch Int(quarter.truncatingRemainder(dividingBy: 4) + 4) % 4 {
    case 0: return (s, c)
    case 1: return (c, -s)
    case 2: return (-s, -c)
    default: return (-c, s)
    }
  }
}
