public import MusterModel

extension Geodesic {
  /// Returns the end of a geodesic, by T. Vincenty, "Direct and inverse solutions of geodesics on
  /// the ellipsoid", Survey Review XXIII (1975) 88-93, to a millimetre before it is rounded to 1e-7
  /// degree. The azimuth is clockwise from north. Distances MUST be finite.
  public static func destination(
    from start: Coordinate, azimuthDegrees: Double, metres: Double
  ) -> Coordinate {
    let azimuth = Trigonometry.sineAndCosine(degrees: azimuthDegrees)
    let latitude = Trigonometry.sineAndCosine(degrees: start.latitude)
    let scale = Trigonometry.hypotenuse(latitude.sine * (1 - flattening), latitude.cosine)
    let (sinU, cosU) = (latitude.sine * (1 - flattening) / scale, latitude.cosine / scale)
    let sigma1 = Trigonometry.arcTangent(sinU, cosU * azimuth.cosine)
    let sinAlpha = cosU * azimuth.sine
    let cosSquaredAlpha = 1 - sinAlpha * sinAlpha
    let u = cosSquaredAlpha * secondEccentricity
    let a = 1 + u / 16384 * (4096 + u * (-768 + u * (320 - 175 * u)))
    let b = u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)))
    let first = metres / (polarRadius * a)
    var sigma = first
    // Each iteration adds about three digits; six are more than a Double holds.
    for _ in 0..<6 {
      let middle = Trigonometry.cosine(2 * sigma1 + sigma)
      let (s, c) = (Trigonometry.sine(sigma), Trigonometry.cosine(sigma))
      let inner = c * (-1 + 2 * middle * middle)
      let last = b / 6 * middle * (-3 + 4 * s * s) * (-3 + 4 * middle * middle)
      sigma = first + b * s * (middle + b / 4 * (inner - last))
    }
    let middle = Trigonometry.cosine(2 * sigma1 + sigma)
    let (s, c) = (Trigonometry.sine(sigma), Trigonometry.cosine(sigma))
    let across = sinU * s - cosU * c * azimuth.cosine
    let latitude2 = Trigonometry.arcTangent(
      sinU * c + cosU * s * azimuth.cosine,
      (1 - flattening) * Trigonometry.hypotenuse(sinAlpha, across))
    let lambda = Trigonometry.arcTangent(s * azimuth.sine, cosU * c - sinU * s * azimuth.cosine)
    let factor =
      flattening / 16 * cosSquaredAlpha * (4 + flattening * (4 - 3 * cosSquaredAlpha))
    let series = sigma + factor * s * (middle + factor * c * (-1 + 2 * middle * middle))
    let turn = lambda - (1 - factor) * flattening * sinAlpha * series
    let longitude = (start.longitude + turn * 180 / .pi).remainder(dividingBy: 360)
    let degrees = min(max(latitude2 * 180 / .pi, -90), 90)
    guard let end = Coordinate(latitude: degrees, longitude: longitude) else {
      preconditionFailure("no destination \(metres) m from \(start)")
    }
    return end
  }
}
