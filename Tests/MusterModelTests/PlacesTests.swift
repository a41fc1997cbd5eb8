import MusterModel
import Testing

struct CoordinateTests {
  @Test("the extremes of latitude and longitude are coordinates, and values beyond are not")
  func bounds() {
    for (latitude, longitude) in [(90, 180), (-90, -180), (0, 0)] as [(Int64, Int64)] {
      #expect(
        Coordinate(latitudeE7: latitude * 10_000_000, longitudeE7: longitude * 10_000_000) != nil)
      #expect(Coordinate(latitude: Double(latitude), longitude: Double(longitude)) != nil)
    }
    for (latitude, longitude) in [
      (900_000_001, 0), (-900_000_001, 0), (0, 1_800_000_001), (0, -1_800_000_001),
      (.max, 0), (.min, 0), (0, .max), (0, .min),
    ] as [(Int64, Int64)] {
      #expect(Coordinate(latitudeE7: latitude, longitudeE7: longitude) == nil)
    }
  }

  @Test(
    "a value that is not a number in range is not a coordinate",
    arguments: [
      .nan, .signalingNaN, .infinity, -.infinity, 180.000_000_1, -180.000_000_1,
      .greatestFiniteMagnitude,
    ] as [Double])
  func numbers(_ number: Double) {
    #expect(Coordinate(latitude: number, longitude: 0) == nil)
    #expect(Coordinate(latitude: 0, longitude: number) == nil)
  }

  @Test("degrees are rounded to the nearest 1e-7 and read back")
  func rounding() throws {
    let place = try #require(Coordinate(latitude: 50.123_456_78, longitude: -7.000_000_04))
    #expect(place.latitudeE7 == 501_234_568)
    #expect(place.longitudeE7 == -70_000_000)
    for value in stride(from: Int64(-900_000_000), through: 900_000_000, by: 7_919_993) {
      let place = try #require(Coordinate(latitudeE7: value, longitudeE7: 2 * value))
      try #require(Coordinate(latitude: place.latitude, longitude: place.longitude) == place)
    }
  }
}

struct EndpointTests {
  @Test("endpoints have the usual text form")
  func description() {
    #expect(Endpoint(address: [192, 0, 2, 1], port: 7474)?.description == "192.0.2.1:7474")
    let documentation: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]
    #expect(Endpoint(address: documentation, port: 7474)?.description == "[2001:db8::1]:7474")
    let linkLocal: [UInt8] = [0xFE, 0x80] + Array(repeating: 0, count: 13) + [0xAB]
    #expect(Endpoint(address: linkLocal, port: 1, scope: 3)?.description == "[fe80::ab%3]:1")
  }

  @Test(
    "an IPv6 address has its shortest text form (RFC 5952)",
    arguments: [
      ([0, 0, 0, 0, 0, 0, 0, 0], "::"), ([0, 0, 0, 0, 0, 0, 0, 1], "::1"),
      ([1, 0, 0, 0, 0, 0, 0, 0], "1::"),
      ([0x2001, 0xDB8, 0, 1, 1, 1, 1, 1], "2001:db8:0:1:1:1:1:1"),
      ([0x2001, 0xDB8, 0, 0, 1, 0, 0, 1], "2001:db8::1:0:0:1"),
      ([0x2001, 0, 0, 1, 0, 0, 0, 1], "2001:0:0:1::1"),
      ([1, 2, 3, 4, 5, 6, 7, 8], "1:2:3:4:5:6:7:8"),
    ] as [([UInt16], String)])
  func shortestForm(groups: [UInt16], text: String) {
    let address = groups.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    #expect(Endpoint(address: address, port: 7474)?.description == "[\(text)]:7474")
  }

  @Test("an address has four bytes or sixteen")
  func lengths() {
    for count in 0...20 {
      let endpoint = Endpoint(address: [UInt8](repeating: 0, count: count), port: 1)
      #expect((endpoint != nil) == (count == 4 || count == 16))
    }
  }
}
