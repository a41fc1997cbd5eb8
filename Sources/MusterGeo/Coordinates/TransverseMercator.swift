/// The transverse Mercator projection of WGS 84 by Krüger's series to the sixth order in the third
/// flattening, with a scale of 0.9996 at the central meridian, as UTM uses it.
///
/// Source: C. F. F. Karney, *Transverse Mercator with an accuracy of a few nanometers*, Journal of
/// Geodesy 85 (2011), equations 7 to 11, 19 to 21, 35 and 36. For input and output only: C
/// libraries may differ in the last bit, so nothing that nodes must agree on is computed with it.
enum TransverseMercator {
  private static let equatorialRadius = 6_378_137.0
  private static let flattening = 1 / 298.257_223_563
  private static let eccentricitySquared = flattening * (2 - flattening)
  private static let eccentricity = eccentricitySquared.squareRoot()
  private static let scale = 0.9996
  private static let third = flattening / (2 - flattening)

  /// The radius of a sphere with the same length of a meridian, times the scale.
  private static let radius =
    scale * equatorialRadius / (1 + third)
    * (1 + third * third * (1 / 4.0 + third * third * (1 / 64.0 + third * third / 256)))

  private static let forwardSeries = [
    series(1, [1 / 2.0, -2 / 3.0, 5 / 16.0, 41 / 180.0, -127 / 288.0, 7_891 / 37_800.0]),
    series(2, [13 / 48.0, -3 / 5.0, 557 / 1_440.0, 281 / 630.0, -1_983_433 / 1_935_360.0]),
    series(3, [61 / 240.0, -103 / 140.0, 15_061 / 26_880.0, 167_603 / 181_440.0]),
    series(4, [49_561 / 161_280.0, -179 / 168.0, 6_601_661 / 7_257_600.0]),
    series(5, [34_729 / 80_640.0, -3_418_889 / 1_995_840.0]),
    series(6, [212_378_941 / 319_334_400.0]),
  ]

  private static let inverseSeries = [
    series(1, [1 / 2.0, -2 / 3.0, 37 / 96.0, -1 / 360.0, -81 / 512.0, 96_199 / 604_800.0]),
    series(2, [1 / 48.0, 1 / 15.0, -437 / 1_440.0, 46 / 105.0, -1_118_711 / 3_870_720.0]),
    series(3, [17 / 480.0, -37 / 840.0, -209 / 4_480.0, 5_569 / 90_720.0]),
    series(4, [4_397 / 161_280.0, -11 / 504.0, -830_251 / 7_257_600.0]),
    series(5, [4_583 / 161_280.0, -108_847 / 3_991_680.0]),
    series(6, [20_648_693 / 638_668_800.0]),
  ]

  /// Returns the sum of the factors times ascending powers of the third flattening.
  private static func series(_ power: Int, _ factors: [Double]) -> Double {
    var term = 1.0
    for _ in 0..<power { term *= third }
    var sum = 0.0
    for factor in factors {
      sum += factor * term
      term *= third
    }
    return sum
  }

  /// Projects a position.
  ///
  /// - Parameters:
  ///   - latitude: degrees.
  ///   - longitude: degrees east of the central meridian.
  /// - Returns: metres east of the central meridian and north of the equator.
  static func project(latitude: Double, longitude: Double) -> (east: Double, north: Double) {
    let (sine, cosine) = Trigonometry.sineAndCosine(degrees: longitude)
    let parts = Trigonometry.sineAndCosine(degrees: latitude)
    let tangent = conformal(parts.sine / max(parts.cosine, 1e-300))
    let xi = Trigonometry.arcTangent(tangent, cosine)
    let eta = Trigonometry.inverseHyperbolicSine(
      sine / Trigonometry.hypotenuse(tangent, cosine))
    let sum = sums(forwardSeries, xi, eta)
    return (radius * (eta + sum.eta), radius * (xi + sum.xi))
  }

  /// Returns the position, in degrees, that `project` projects to these metres.
  static func position(east: Double, north: Double) -> (latitude: Double, longitude: Double) {
    let (xi, eta) = (north / radius, east / radius)
    let sum = sums(inverseSeries, xi, eta)
    let (xiSphere, etaSphere) = (xi - sum.xi, eta - sum.eta)
    let (sine, cosine) = (Trigonometry.sine(xiSphere), Trigonometry.cosine(xiSphere))
    let hyperbolic = Trigonometry.hyperbolicSine(etaSphere)
    let wanted = sine / Trigonometry.hypotenuse(hyperbolic, cosine)
    // Newton's method: each step doubles the correct digits.
    var tangent = wanted
    for _ in 0..<5 {
      let reached = conformal(tangent)
      let slope =
        (1 - eccentricitySquared) * (1 + tangent * tangent).squareRoot()
        * (1 + reached * reached).squareRoot()
        / (1 + (1 - eccentricitySquared) * tangent * tangent)
      tangent += (wanted - reached) / slope
    }
    return (
      Trigonometry.arcTangent(tangent) * 180 / .pi,
      Trigonometry.arcTangent(hyperbolic, cosine) * 180 / .pi
    )
  }

  /// Returns the tangent of the conformal latitude from the tangent of the latitude.
  private static func conformal(_ tangent: Double) -> Double {
    let secant = (1 + tangent * tangent).squareRoot()
    let sigma = Trigonometry.hyperbolicSine(
      eccentricity * Trigonometry.inverseHyperbolicTangent(eccentricity * tangent / secant))
    return tangent * (1 + sigma * sigma).squareRoot() - sigma * secant
  }

  private static func sums(
    _ series: [Double], _ xi: Double, _ eta: Double
  ) -> (xi: Double, eta: Double) {
    var sum = (xi: 0.0, eta: 0.0)
    for (index, factor) in series.enumerated() {
      let multiple = Double(2 * (index + 1))
      sum.xi +=
        factor * Trigonometry.sine(multiple * xi) * Trigonometry.hyperbolicCosine(multiple * eta)
      sum.eta +=
        factor * Trigonometry.cosine(multiple * xi) * Trigonometry.hyperbolicSine(multiple * eta)
    }
    return sum
  }
}
