// Stages: 1 bring the points into a canonical position · 2 meridians and the equator directly ·
// 3 a starting azimuth (`InverseProblem.start`) · 4 Newton's method on the longitude · 5 length.
extension Geodesic {
  private static let iterations = 20

  /// Returns the distance for angles in degrees. Latitudes MUST be within ±90.
  static func distanceMetres(
    fromLatitude latitude1: Double, longitude longitude1: Double, toLatitude latitude2: Double,
    longitude longitude2: Double
  ) -> Double {
    let lon12 = abs((longitude2 - longitude1).remainder(dividingBy: 360))
    var lat1 = angleRounded(latitude1)
    var lat2 = angleRounded(latitude2)
    if abs(lat1) < abs(lat2) { swap(&lat1, &lat2) }
    // Zeros too: the sign of a zero decides in which direction the equator is left.
    if lat1.sign == .plus { (lat1, lat2) = (-lat1, -lat2) }
    let problem = InverseProblem(latitude1: lat1, latitude2: lat2, longitudeDifference: lon12)
    if lat1 == -90 || problem.slam12 == 0, let length = problem.meridianLength() {
      return length * polarRadius
    }
    if problem.sbet1 == 0, 180 - lon12 >= flattening * 180 {
      return equatorialRadius * problem.lam12
    }
    let start = problem.start()
    if let shortLength = start.shortLength { return shortLength * polarRadius }
    return newton(problem, salp1: start.salp1, calp1: start.calp1) * polarRadius
  }

  /// Rounds small angles so that tiny differences of them underflow to zero.
  private static func angleRounded(_ angle: Double) -> Double {
    let z = 1.0 / 16
    let size = abs(angle)
    guard size < z else { return angle }
    let rounded = z - (z - size)
    return angle < 0 ? -rounded : rounded
  }

  /// Finds the azimuth at point 1 whose geodesic reaches point 2's longitude, within a bracket that
  /// shrinks at each step, so that it always ends. Returns the length in polar radii.
  private static func newton(
    _ problem: InverseProblem, salp1: Double, calp1: Double
  ) -> Double {
    let tolerance = Double.ulpOfOne
    var (salp1, calp1) = (salp1, calp1)
    var (salp1a, calp1a) = (InverseProblem.tiny, 1.0)
    var (salp1b, calp1b) = (InverseProblem.tiny, -1.0)
    var (isClose, isNarrow) = (false, false)
    var trial = problem.trial(salp1: salp1, calp1: calp1)
    let lastStep = iterations + Double.significandBitCount + 11
    for step in 1...lastStep {
      let error = trial.longitudeError
      if isNarrow || !(abs(error) >= (isClose ? 8 : 1) * tolerance) { break }
      let isLate = step > iterations + 1
      if error > 0, isLate || calp1 / salp1 > calp1b / salp1b {
        (salp1b, calp1b) = (salp1, calp1)
      } else if error < 0, isLate || calp1 / salp1 < calp1a / salp1a {
        (salp1a, calp1a) = (salp1, calp1)
      }
      var isImproved = false
      if step < iterations, trial.slope > 0 {
        let change = -error / trial.slope
        if abs(change) < .pi {
          let (s, c) = (Trigonometry.sine(change), Trigonometry.cosine(change))
          let next = salp1 * c + calp1 * s
          if next > 0 {
            (salp1, calp1) = InverseProblem.normalised(next, calp1 * c - salp1 * s)
            isClose = abs(error) <= 16 * tolerance
            isImproved = true
          }
        }
      }
      if !isImproved {
        (salp1, calp1) = InverseProblem.normalised((salp1a + salp1b) / 2, (calp1a + calp1b) / 2)
        isClose = false
        isNarrow =
          abs(salp1a - salp1) + (calp1a - calp1) < tolerance
          || abs(salp1 - salp1b) + (calp1 - calp1b) < tolerance
      }
      trial = problem.trial(salp1: salp1, calp1: calp1)
    }
    return trial.lengths(of: problem).distance
  }
}
