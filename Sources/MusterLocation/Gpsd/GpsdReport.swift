internal import Foundation
internal import MusterModel

/// One line of gpsd's JSON output (gpsd_json(5)), as far as it is used here.
public enum GpsdReport: Hashable, Sendable {
  /// The maximum length of a line. gpsd's own limit is 10,240 bytes.
  public static let longestLine = 16 * 1024
  /// The command that subscribes to gpsd's reports.
  public static let watch = "?WATCH={\"enable\":true,\"json\":true};\n"

  /// A position (TPV), or any other report.
  case reading(Reading)
  /// The number of receivers that gpsd has: 0 if none is plugged in.
  case receivers(Int)

  /// The members that are used. All are optional, and other members are ignored.
  private struct Line: Decodable {
    var `class`: String
    var mode: Int?
    var time: String?
    var lat: Double?
    var lon: Double?
    var eph: Double?
    var epx: Double?
    var epy: Double?
    var devices: [Device]?
    var path: String?
    var activated: Activation?

    struct Device: Decodable {}

    /// A time in a report on a connected receiver, 0 in one on a removed receiver.
    enum Activation: Decodable {
      case since
      case gone

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
          self = try container.decode(Double.self) == 0 ? .gone : .since
        } catch DecodingError.typeMismatch {
          self = .since
        }
      }
    }
  }

  /// Parses a line.
  public init(line: [UInt8]) {
    do {
      let line = try JSONDecoder().decode(Line.self, from: Data(line))
      switch line.class {
      case "TPV": self = .reading(Self.reading(line))
      case "DEVICES": self = .receivers(line.devices?.count ?? 0)
      case "DEVICE" where line.activated == .gone: self = .receivers(0)
      default: self = .reading(.other)
      }
    } catch {
      self = .reading(.refused(.malformed))
    }
  }

  private static func reading(_ line: Line) -> Reading {
    guard let mode = line.mode, mode >= 2 else { return .noFix }
    guard let latitude = line.lat, let longitude = line.lon,
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else { return .refused(.place) }
    var time: Timestamp?
    if let text = line.time {
      guard let read = Timestamp(rfc3339: text) else { return .refused(.time) }
      time = read
    }
    return .fix(
      SourceFix(
        position: position, accuracyDecimetres: Accuracy.decimetres(line.eph ?? ellipse(line)),
        sampleTime: time))
  }

  /// Returns `eph`, computed from its two components if only these are reported.
  private static func ellipse(_ line: Line) -> Double? {
    guard let east = line.epx, let north = line.epy else { return nil }
    return (east * east + north * north).squareRoot()
  }
}
