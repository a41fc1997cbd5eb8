/// Two points in canonical position, southern one first and farther from the equator, with the
/// names of Karney (2013): β reduced latitude, λ longitude, α azimuth, σ arc on the auxiliary
/// sphere, ω longitude there; s and c for sine and cosine. Lengths are in polar radii.
struct InverseProblem {
  static let tiny = Double.leastNormalMagnitude.squareRoot()

  let sbet1, cbet1, dn1, sbet2, cbet2, dn2: Double
  let lam12, slam12, clam12: Double

  private static let n = Geodesic.thirdFlattening
  private static let f = Geodesic.flattening
  private static let ep2 = Geodesic.secondEccentricity
  private static let squareRootOfUlp = Double.ulpOfOne.squareRoot()
  /// Lines shorter than this are solved on the auxiliary sphere.
  private static let shortArc =
    0.1 * squareRootOfUlp / (max(0.001, f) * min(1, 1 - f / 2) / 2).squareRoot()

  /// In degrees: -90 ≤ latitude1 ≤ 0, latitude1 ≤ latitude2 ≤ -latitude1, difference in 0...180.
  init(latitude1: Double, latitude2: Double, longitudeDifference: Double) {
    let (sbet1, cbet1) = Self.reduced(latitude1)
    var (sbet2, cbet2) = Self.reduced(latitude2)
    // If the two latitudes mirror each other, make them do so exactly.
    if cbet1 < -sbet1 {
      if cbet2 == cbet1 { sbet2 = sbet2 < 0 ? sbet1 : -sbet1 }
    } else if abs(sbet2) == -sbet1 {
      cbet2 = cbet1
    }
    (self.sbet1, self.cbet1, self.sbet2, self.cbet2) = (sbet1, cbet1, sbet2, cbet2)
    dn1 = (1 + Self.ep2 * sbet1 * sbet1).squareRoot()
    dn2 = (1 + Self.ep2 * sbet2 * sbet2).squareRoot()
    lam12 = longitudeDifference * .pi / 180
    (slam12, clam12) = Trigonometry.sineAndCosine(degrees: longitudeDifference)
  }

  private static func reduced(_ latitude: Double) -> (sine: Double, cosine: Double) {
    let (s, c) = Trigonometry.sineAndCosine(degrees: latitude)
    let (sine, cosine) = normalised(s * (1 - f), c)
    return (sine, max(tiny, cosine))
  }

  static func normalised(_ x: Double, _ y: Double) -> (Double, Double) {
    let length = Trigonometry.hypotenuse(x, y)
    return (x / length, y / length)
  }

  /// At least zero, and never -0, which would turn an arc of 180° into one of -180°.
  private static func notNegative(_ value: Double) -> Double { max(0, value) + 0 }

  /// ε of a geodesic that crosses the equator with k² = `k2`.
  private static func epsilon(_ k2: Double) -> Double {
    k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
  }

  // MARK: Length

  /// The arc between two places on a geodesic.
  struct Arc {
    var sig12, ssig1, csig1, ssig2, csig2: Double
  }

  /// Returns the length of an arc, and its reduced length, which is negative past a conjugate
  /// point.
  func lengths(epsilon: Double, _ arc: Arc) -> (distance: Double, reduced: Double) {
    let a1 = Geodesic.a1Minus1(epsilon)
    let a2 = Geodesic.a2Minus1(epsilon)
    let c1 = Geodesic.c1(epsilon)
    let c2 = Geodesic.c2(epsilon)
    func difference(_ series: Geodesic.SineSeries) -> Double {
      Geodesic.sum(series, sine: arc.ssig2, cosine: arc.csig2)
        - Geodesic.sum(series, sine: arc.ssig1, cosine: arc.csig1)
    }
    let b1 = difference(c1)
    let j12 = (a1 - a2) * arc.sig12 + ((1 + a1) * b1 - (1 + a2) * difference(c2))
    let reduced =
      dn2 * (arc.csig1 * arc.ssig2) - dn1 * (arc.ssig1 * arc.csig2) - arc.csig1 * arc.csig2 * j12
    return ((1 + a1) * (arc.sig12 + b1), reduced)
  }

  /// Returns the length if both points are on one meridian; nil if that is not the shortest path.
  func meridianLength() -> Double? {
    let (ssig1, csig1) = (sbet1, clam12 * cbet1)
    let (ssig2, csig2) = (sbet2, cbet2)
    let sig12 = Trigonometry.arcTangent(
      Self.notNegative(csig1 * ssig2 - ssig1 * csig2), csig1 * csig2 + ssig1 * ssig2)
    if sig12 < 3 * Self.tiny { return 0 }
    let (distance, reduced) = lengths(
      epsilon: Self.n,
      Arc(sig12: sig12, ssig1: ssig1, csig1: csig1, ssig2: ssig2, csig2: csig2))
    guard sig12 < Self.squareRootOfUlp || reduced >= 0 else { return nil }
    return max(0, distance)
  }

  // MARK: Start

  /// The start of Newton's method, or the length itself for a short line.
  struct Start {
    var salp1: Double
    var calp1: Double
    var shortLength: Double?
  }

  func start() -> Start {
    let sbet12 = sbet2 * cbet1 - cbet2 * sbet1
    let cbet12 = cbet2 * cbet1 + sbet2 * sbet1
    let sbet12a = sbet2 * cbet1 + cbet2 * sbet1
    let isShort = cbet12 >= 0 && sbet12 < 0.5 && cbet2 * lam12 < 0.5
    var (somg12, comg12, dnm) = (slam12, clam12, 1.0)
    if isShort {
      let sum = (sbet1 + sbet2) * (sbet1 + sbet2)
      let sbetm2 = sum / (sum + (cbet1 + cbet2) * (cbet1 + cbet2))
      dnm = (1 + Self.ep2 * sbetm2).squareRoot()
      let omg12 = lam12 / ((1 - Self.f) * dnm)
      (somg12, comg12) = (Trigonometry.sine(omg12), Trigonometry.cosine(omg12))
    }
    var salp1 = cbet2 * somg12
    var calp1 =
      comg12 >= 0
      ? sbet12 + cbet2 * sbet1 * somg12 * somg12 / (1 + comg12)
      : sbet12a - cbet2 * sbet1 * somg12 * somg12 / (1 - comg12)
    let ssig12 = Trigonometry.hypotenuse(salp1, calp1)
    let csig12 = sbet1 * sbet2 + cbet1 * cbet2 * comg12
    var shortLength: Double?
    if isShort, ssig12 < Self.shortArc {
      shortLength = Trigonometry.arcTangent(ssig12, csig12) * dnm
    } else if csig12 < 0, ssig12 < 6 * Self.n * .pi * cbet1 * cbet1 {
      (salp1, calp1) = nearAntipodes(sbet12a: sbet12a)
    }
    if salp1 > 0 {
      (salp1, calp1) = Self.normalised(salp1, calp1)
    } else {
      (salp1, calp1) = (1, 0)
    }
    return Start(salp1: salp1, calp1: calp1, shortLength: shortLength)
  }

  /// Near the antipodes the sphere is no approximation; an astroid is (section 5 of the paper).
  private func nearAntipodes(sbet12a: Double) -> (salp1: Double, calp1: Double) {
    let lam12x = Trigonometry.arcTangent(-slam12, -clam12)
    let epsilon = Self.epsilon(sbet1 * sbet1 * Self.ep2)
    let lamscale = Self.f * cbet1 * Geodesic.a3(epsilon) * .pi
    let x = lam12x / lamscale
    let y = sbet12a / (lamscale * cbet1)
    if y > -200 * Double.ulpOfOne, x > -1 - 1000 * Self.squareRootOfUlp {
      let salp1 = min(1, -x)
      return (salp1, -(1 - salp1 * salp1).squareRoot())
    }
    let k = Self.astroid(x, y)
    let omg12a = lamscale * (-x * k / (1 + k))
    let (somg12, comg12) = (Trigonometry.sine(omg12a), -Trigonometry.cosine(omg12a))
    return (cbet2 * somg12, sbet12a - cbet2 * sbet1 * somg12 * somg12 / (1 - comg12))
  }

  /// The positive root k of k⁴ + 2k³ − (x² + y² − 1)k² − 2y²k − y² = 0 (equation 55).
  private static func astroid(_ x: Double, _ y: Double) -> Double {
    let (p, q) = (x * x, y * y)
    let r = (p + q - 1) / 6
    if q == 0, r <= 0 { return 0 }
    let s = p * q / 4
    let (r2, r3) = (r * r, r * r * r)
    let discriminant = s * (s + 2 * r3)
    var u = r
    if discriminant >= 0 {
      var t3 = s + r3
      t3 += t3 < 0 ? -discriminant.squareRoot() : discriminant.squareRoot()
      let t = Trigonometry.cubeRoot(t3)
      u += t + (t != 0 ? r2 / t : 0)
    } else {
      let angle = Trigonometry.arcTangent((-discriminant).squareRoot(), -(s + r3))
      u += 2 * r * Trigonometry.cosine(angle / 3)
    }
    let v = (u * u + q).squareRoot()
    let uv = u < 0 ? q / (v - u) : u + v
    let w = (uv - q) / (2 * v)
    return uv / ((uv + w * w).squareRoot() + w)
  }

  // MARK: One step

  /// The longitude at point 2 of a geodesic that starts at point 1 with a given azimuth.
  struct Trial {
    /// The error in radians, and its derivative with respect to the azimuth.
    var longitudeError: Double
    var slope: Double
    var epsilon: Double
    var arc: Arc

    func lengths(of problem: InverseProblem) -> (distance: Double, reduced: Double) {
      problem.lengths(epsilon: epsilon, arc)
    }
  }

  func trial(salp1: Double, calp1 azimuthCosine: Double) -> Trial {
    let calp1 = sbet1 == 0 && azimuthCosine == 0 ? -Self.tiny : azimuthCosine
    let salp0 = salp1 * cbet1
    let calp0 = Trigonometry.hypotenuse(calp1, salp1 * sbet1)
    let (somg1, comg1) = (salp0 * sbet1, calp1 * cbet1)
    let (ssig1, csig1) = Self.normalised(sbet1, comg1)
    var calp2 = abs(calp1)
    if cbet2 != cbet1 || abs(sbet2) != -sbet1 {
      let excess =
        cbet1 < -sbet1
        ? (cbet2 - cbet1) * (cbet1 + cbet2) : (sbet1 - sbet2) * (sbet1 + sbet2)
      calp2 = (calp1 * cbet1 * (calp1 * cbet1) + excess).squareRoot() / cbet2
    }
    let (somg2, comg2) = (salp0 * sbet2, calp2 * cbet2)
    let (ssig2, csig2) = Self.normalised(sbet2, comg2)
    let sig12 = Trigonometry.arcTangent(
      Self.notNegative(csig1 * ssig2 - ssig1 * csig2), csig1 * csig2 + ssig1 * ssig2)
    let somg12 = Self.notNegative(comg1 * somg2 - somg1 * comg2)
    let comg12 = comg1 * comg2 + somg1 * somg2
    let eta = Trigonometry.arcTangent(
      somg12 * clam12 - comg12 * slam12, comg12 * clam12 + somg12 * slam12)
    let epsilon = Self.epsilon(calp0 * calp0 * Self.ep2)
    let c3 = Geodesic.c3(epsilon)
    let b312 =
      Geodesic.sum(c3, sine: ssig2, cosine: csig2) - Geodesic.sum(c3, sine: ssig1, cosine: csig1)
    let error = eta - Self.f * Geodesic.a3(epsilon) * salp0 * (sig12 + b312)
    let arc = Arc(sig12: sig12, ssig1: ssig1, csig1: csig1, ssig2: ssig2, csig2: csig2)
    let slope =
      calp2 == 0
      ? -2 * (1 - Self.f) * dn1 / sbet1
      : lengths(epsilon: epsilon, arc).reduced * (1 - Self.f) / (calp2 * cbet2)
    return Trial(longitudeError: error, slope: slope, epsilon: epsilon, arc: arc)
  }
}
