import MusterGeo
import MusterModel
import MusterTestKit
import Testing

@Suite struct GeodesicTests {
  /// Latitude and longitude of two places in 1e-7 degrees, and the metres between them by
  /// geographiclib 2.1: known cases first, then places all over the world, places a kilometre
  /// apart, and places near one another's antipodes.
  private static let pairs: [(Int64, Int64, Int64, Int64, Double)] = [
    (-379510334, 1444248679, -376528211, 1439264955, 54972.275372),
    (406413111, -737781391, 514700223, -4542955, 5554910.136850),
    (0, 0, 0, 10000000, 111319.490793),
    (0, 0, 0, 1793000000, 19959584.699234),
    (0, 0, 0, 1797000000, 19995624.889961),
    (0, 0, 0, 1800000000, 20003931.458625),
    (0, 0, 5000000, 1795000000, 19936288.578965),
    (0, 0, 5000000, 1797000000, 19944127.420750),
    (300000000, 0, -300000000, 1800000000, 20003931.458625),
    (300000000, 0, -300000000, 1798000000, 20000239.437725),
    (300000000, 0, -299000000, 1798000000, 19989832.827610),
    (-300000000, 0, 299000000, 1798000000, 19989832.827610),
    (900000000, 0, -900000000, 0, 20003931.458625),
    (900000000, 120000000, 900000000, -770000000, 0.000000),
    (899999999, 0, 899999999, 1800000000, 0.022339),
    (590000000, 240000000, 590000001, 240000000, 0.011140),
    (590000000, 240000000, 590000000, 240000001, 0.005748),
    (460569000, 145058000, 460570000, 145060000, 19.054623),
    (-10000000, 1799999000, -10000000, -1799999000, 22.260530),
    (485228768, 0, -485228768, 1795997205, 19989144.777091),
    (50000000, 1, 55000000, 1800000000, 18842868.766623),
    (272000000, 0, -271000000, 1795000000, 19974354.765767),
    (364933494, 0, 364933494, 8, 0.071679),
    (71477686, 604204071, 777652994, 199951809, 8183086.747886),
    (70302523, 381161661, 361399321, -984376967, 13429221.335466),
    (-503444932, 1652725545, 199315425, 243387526, 15203815.661017),
    (452662844, 836933101, 802904873, -1000390107, 6069838.080302),
    (-697871415, 118102982, -248450752, -1190994532, 8811531.290381),
    (-705286510, 513671007, 838698399, 1178295591, 17480568.792365),
    (462476977, -1620125337, 378690149, -98505870, 10283143.695471),
    (72799061, 1008575894, 686809769, 843821694, 6924417.362442),
    (496016796, -1123568025, 438158163, -1735572348, 4592925.110299),
    (886065640, 469380278, -764354363, -1544229933, 18632933.234268),
    (-823436238, -983061749, -380431332, 775340069, 6642749.934267),
    (-835398134, 1541950144, 96291671, -398580717, 11766251.367649),
    (46033372, 738151459, -480550539, 429621088, 6563906.817027),
    (-398249821, 950031949, -268314310, 346509353, 5691456.840011),
    (-890134957, 1045199087, -717488017, 164216887, 2037087.051417),
    (506175816, -605299428, -26449319, 567676890, 12130186.296582),
    (-721321899, 1240019196, -354550445, -445894660, 8038830.885454),
    (727771233, -813592474, 201411389, -558582864, 6066399.525330),
    (-836108243, -1498392384, 309338791, 1491181424, 13063172.654448),
    (-668228713, -80295919, -668494606, -550581581, 2016026.088929),
    (30031501, -1502982358, 29935928, -1502902817, 1377.952883),
    (-798829759, -873017249, -798874783, -873103533, 530.454696),
    (209289988, -177397819, 209375821, -177393637, 951.305092),
    (101495175, -1476302700, 101543611, -1476237693, 891.366778),
    (-373745682, 1553678671, -373668759, 1553649391, 892.252646),
    (-76528138, -1415718509, -76546557, -1415731324, 247.965775),
    (-767466688, -28844712, -767367973, -28913782, 1116.109070),
    (-510956276, -731771810, -510870936, -731845322, 1080.103603),
    (-776474281, -1532759788, -776452400, -1532732171, 253.039333),
    (-418439132, 1139500299, -418392517, 1139449683, 666.934566),
    (160837607, -697219790, -163638454, 1101681579, 19972195.542654),
    (100290630, -407632295, -99852344, 1391390366, 19998263.425520),
    (47941152, -886434193, -50369859, 913561857, 19977074.216075),
    (-220619708, -64686941, 224564245, 1732761705, 19956861.260674),
    (-757843361, -1337503239, 754985857, 459189346, 19970887.481258),
    (492824871, -411668427, -489145092, 1387489921, 19962737.770559),
    (-709574150, -1475697290, 707151780, 320598790, 19974297.551457),
    (-245353168, -1769437340, 249592859, 27803182, 19953196.427111),
    (-163647416, -960706325, 158878839, 838670561, 19950968.883615),
    (-606474837, -1341748632, 610251504, 452911286, 19954901.777359),
  ]

  @Test func `Distances agree with geographiclib to a micrometre`() {
    for (lat1, lon1, lat2, lon2, metres) in Self.pairs {
      let (start, end) = (place(lat1, lon1), place(lat2, lon2))
      let found = Geodesic.distanceMetres(from: start, to: end)
      #expect(abs(found - metres) < 2e-6, "\(start) to \(end): \(found), not \(metres)")
      let back = Geodesic.distanceMetres(from: end, to: start)
      #expect(abs(found - back) < 1e-7, "the way back is as long")
    }
  }

  @Test func `Random distances obey the triangle inequality and the longest distance`() {
    var random = SplitMix64(seed: 9)
    func anywhere() -> Coordinate {
      place(
        Int64.random(in: -900_000_000...900_000_000, using: &random),
        Int64.random(in: -1_800_000_000...1_800_000_000, using: &random))
    }
    for _ in 0..<1000 {
      let (a, b, c) = (anywhere(), anywhere(), anywhere())
      let (ab, bc) = (
        Geodesic.distanceMetres(from: a, to: b), Geodesic.distanceMetres(from: b, to: c)
      )
      #expect(Geodesic.distanceMetres(from: a, to: c) <= ab + bc + 1e-6)
      #expect(ab <= 20_003_931.4587)
    }
  }

  @Test func `A place is no distance from itself, wherever its longitude is counted from`() {
    #expect(Geodesic.distanceMetres(from: degrees(46, 14), to: degrees(46, 14)) == 0)
    #expect(Geodesic.distanceMetres(from: degrees(46, 180), to: degrees(46, -180)) == 0)
    #expect(Geodesic.distanceMetres(from: degrees(-90, 1), to: degrees(-90, 100)) == 0)
  }

  @Test func `The end of a straight path is as far as the path is long`() {
    var random = SplitMix64(seed: 12)
    for _ in 0..<300 {
      let start = place(
        Int64.random(in: -890_000_000...890_000_000, using: &random),
        Int64.random(in: -1_800_000_000...1_800_000_000, using: &random))
      let azimuth = Double.random(in: -360...720, using: &random)
      let metres = Double.random(in: 0...1_000_000, using: &random)
      let end = Geodesic.destination(from: start, azimuthDegrees: azimuth, metres: metres)
      // Rounding to 1e-7 degree moves a place by 8 mm at most.
      #expect(abs(Geodesic.distanceMetres(from: start, to: end) - metres) < 0.01)
    }
  }

  @Test func `Azimuths go clockwise from north`() {
    let start = degrees(46, 14)
    let north = Geodesic.destination(from: start, azimuthDegrees: 0, metres: 1000)
    #expect(north.longitudeE7 == start.longitudeE7 && north > start)
    let east = Geodesic.destination(from: start, azimuthDegrees: 90, metres: 1000)
    #expect(east.longitudeE7 > start.longitudeE7)
    let acrossAntimeridian = Geodesic.destination(
      from: degrees(0, 179.999), azimuthDegrees: 90, metres: 1000)
    #expect(acrossAntimeridian.longitudeE7 < 0)
  }
}
