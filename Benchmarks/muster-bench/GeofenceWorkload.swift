import Foundation
import MusterGeo
import MusterModel

/// Devices that wander among fences: read from a folder, or drawn where there is none.
///
/// A folder has `fences.geojson`, whose features are Polygons of one ring with whole numbers as
/// property `id`, and `positions.csv` of `device,t_ms,lon,lat` in the order of time.
struct GeofenceWorkload {
  struct Sample {
    let device: Int
    let fix: Fix
  }

  /// Fence i has the id i.
  let fences: [FenceGeometry]
  let samples: [Sample]
  let devices: Int

  /// The ids sort like the numbers. A position counts as it is, whatever its accuracy.
  func underWatch() -> [FenceUnderWatch] {
    fences.enumerated().map { number, geometry in
      FenceUnderWatch(
        id: RowID(raw: Bytes16(high: 0, low: UInt64(number))),
        version: FenceVersion(raw: .zero), isActive: true, fence: PreparedFence(geometry),
        mode: .strictAWS, dwellSeconds: 0)
    }
  }
}

// MARK: - Reading

extension GeofenceWorkload {
  init(folder: String) throws {
    fences = try Self.fences(of: Self.contents(of: folder + "/fences.geojson"))
    var reader = NumberReader(try Self.contents(of: folder + "/positions.csv"))
    reader.skip(past: "\n")
    var samples: [Sample] = []
    while !reader.isAtEnd {
      let device = Int(try reader.decimal(places: 0))
      let time = try reader.decimal(places: 0)
      let place = try reader.place()
      samples.append(
        Sample(
          device: device, fix: Fix(position: place, sampleTime: Timestamp(milliseconds: time))))
    }
    guard samples.allSatisfy({ (0..<1_000_000).contains($0.device) }) else {
      throw BenchFault("a device has no number from 0 to 999,999")
    }
    self.samples = samples
    devices = (samples.map(\.device).max() ?? -1) + 1
  }

  private static func fences(of bytes: [UInt8]) throws -> [FenceGeometry] {
    var reader = NumberReader(bytes)
    var byID: [Int: FenceGeometry] = [:]
    while reader.skip(past: "\"id\":") {
      let id = Int(try reader.decimal(places: 0))
      guard reader.skip(past: "\"coordinates\":[[") else { throw BenchFault("a fence is cut off") }
      var vertices: [Coordinate] = []
      repeat { vertices.append(try reader.place()) } while reader.listGoesOn()
      byID[id] = .polygons([FencePolygon(outer: Ring(vertices.dropLast()))])
    }
    return try (0..<byID.count).map { id in
      guard let fence = byID[id] else { throw BenchFault("there is no fence \(id)") }
      return fence
    }
  }

  private static func contents(of path: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw BenchFault("\(path) cannot be read")
    }
    return [UInt8](data)
  }
}

/// Finds the numbers in a text, for files too large for readers that take every care.
private struct NumberReader {
  private let bytes: [UInt8]
  private var next = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { !bytes[next...].contains { Self.isDigit($0) } }

  /// Whether another element of a list follows the one that was read.
  mutating func listGoesOn() -> Bool {
    skip(past: "]")
    return next < bytes.count && bytes[next] == UInt8(ascii: ",")
  }

  @discardableResult
  mutating func skip(past words: StaticString) -> Bool {
    let wanted = Array("\(words)".utf8)
    while next + wanted.count <= bytes.count {
      if bytes[next] == wanted[0], bytes[next..<next + wanted.count].elementsEqual(wanted) {
        next += wanted.count
        return true
      }
      next += 1
    }
    next = bytes.count
    return false
  }

  /// Longitude, then latitude.
  mutating func place() throws -> Coordinate {
    let longitude = try decimal(places: 7)
    let latitude = try decimal(places: 7)
    guard let place = Coordinate(latitudeE7: latitude, longitudeE7: longitude) else {
      throw BenchFault("a place is not on the Earth, before byte \(next)")
    }
    return place
  }

  /// The next number without its point: all its digits, and zeros up to so many decimal places.
  mutating func decimal(places: Int) throws -> Int64 {
    while next < bytes.count, !Self.isDigit(bytes[next]) { next += 1 }
    guard next < bytes.count else { throw BenchFault("a number is missing at the end") }
    let isNegative = next > 0 && bytes[next - 1] == UInt8(ascii: "-")
    var value = digits(atMost: 18).value
    var missing = places
    if places > 0, next < bytes.count, bytes[next] == UInt8(ascii: ".") {
      next += 1
      let fraction = digits(atMost: places)
      missing -= fraction.count
      for _ in 0..<fraction.count { value *= 10 }
      value += fraction.value
    }
    for _ in 0..<missing { value *= 10 }
    return isNegative ? -value : value
  }

  private mutating func digits(atMost most: Int) -> (value: Int64, count: Int) {
    var (value, count) = (Int64(0), 0)
    while next < bytes.count, count < most, Self.isDigit(bytes[next]) {
      value = value * 10 + Int64(bytes[next] - UInt8(ascii: "0"))
      next += 1
      count += 1
    }
    return (value, count)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
}
