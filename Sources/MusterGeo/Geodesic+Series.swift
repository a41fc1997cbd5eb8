// The series of Karney (2013) to sixth order, as polynomials of the expansion parameter ε.
extension Geodesic {
  /// Coefficients 1 to 6 of a sine series; element 0 is not used.
  typealias SineSeries = SIMD8<Double>

  /// The sum of c_l · sin(2lx) by Clenshaw's method.
  static func sum(_ series: SineSeries, sine: Double, cosine: Double) -> Double {
    let factor = 2 * (cosine - sine) * (cosine + sine)
    var (current, previous) = (0.0, 0.0)
    for index in stride(from: 6, through: 1, by: -1) {
      (current, previous) = (factor * current - previous + series[index], current)
    }
    return 2 * sine * cosine * current
  }

  /// A₁ − 1, equation 17.
  static func a1Minus1(_ epsilon: Double) -> Double {
    let square = epsilon * epsilon
    let sum = ((square + 4) * square + 64) * square / 256
    return (sum + epsilon) / (1 - epsilon)
  }

  /// A₂ − 1, equation 42.
  static func a2Minus1(_ epsilon: Double) -> Double {
    let square = epsilon * epsilon
    let sum = ((-11 * square - 28) * square - 192) * square / 256
    return (sum - epsilon) / (1 + epsilon)
  }

  /// C₁, equation 18.
  static func c1(_ epsilon: Double) -> SineSeries {
    let square = epsilon * epsilon
    var series = SineSeries()
    var power = epsilon
    series[1] = power * ((-square + 6) * square - 16) / 32
    power *= epsilon
    series[2] = power * ((-9 * square + 64) * square - 128) / 2048
    power *= epsilon
    series[3] = power * (9 * square - 16) / 768
    power *= epsilon
    series[4] = power * (3 * square - 5) / 512
    power *= epsilon
    series[5] = power * -7 / 1280
    power *= epsilon
    series[6] = power * -7 / 2048
    return series
  }

  /// C₂, equation 43.
  static func c2(_ epsilon: Double) -> SineSeries {
    let square = epsilon * epsilon
    var series = SineSeries()
    var power = epsilon
    series[1] = power * ((square + 2) * square + 16) / 32
    power *= epsilon
    series[2] = power * ((35 * square + 64) * square + 384) / 2048
    power *= epsilon
    series[3] = power * (15 * square + 80) / 768
    power *= epsilon
    series[4] = power * (7 * square + 35) / 512
    power *= epsilon
    series[5] = power * 63 / 1280
    power *= epsilon
    series[6] = power * 77 / 2048
    return series
  }

  /// A₃, equation 24.
  static func a3(_ epsilon: Double) -> Double {
    let n = thirdFlattening
    var sum = -3.0 / 128
    sum = sum * epsilon + (-2 * n - 3) / 64
    sum = sum * epsilon + ((-n - 3) * n - 1) / 16
    sum = sum * epsilon + ((3 * n - 1) * n - 2) / 8
    sum = sum * epsilon + (n - 1) / 2
    return sum * epsilon + 1
  }

  /// C₃, equation 25.
  static func c3(_ epsilon: Double) -> SineSeries {
    let n = thirdFlattening
    var series = SineSeries()
    var power = epsilon
    var sum = 3.0 / 128
    sum = sum * epsilon + (2 * n + 5) / 128
    sum = sum * epsilon + ((-n + 3) * n + 3) / 64
    sum = sum * epsilon + (-n * n + 1) / 8
    sum = sum * epsilon + (-n + 1) / 4
    series[1] = power * sum
    power *= epsilon
    sum = 5.0 / 256
    sum = sum * epsilon + (n + 3) / 128
    sum = sum * epsilon + ((-3 * n - 2) * n + 3) / 64
    sum = sum * epsilon + ((n - 3) * n + 2) / 32
    series[2] = power * sum
    power *= epsilon
    sum = 7.0 / 512
    sum = sum * epsilon + (-10 * n + 9) / 384
    sum = sum * epsilon + ((5 * n - 9) * n + 5) / 192
    series[3] = power * sum
    power *= epsilon
    series[4] = power * (7.0 / 512 * epsilon + (-14 * n + 7) / 512)
    power *= epsilon
    series[5] = power * 21 / 2560
    return series
  }
}
