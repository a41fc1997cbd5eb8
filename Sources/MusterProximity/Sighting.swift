internal import Foundation
public import MusterModel

/// One received advertisement of a device nearby.
public struct Sighting: Hashable, Sendable {
  /// The advertised identifier: a rolling one, or the fixed one of another device.
  public let identifier: Bytes16
  /// The name that the device shows; empty for none.
  public let name: String
  /// The received signal strength in dBm.
  public let rssi: Int8
  /// When it was received.
  public let time: Timestamp

  /// Creates a sighting. A longer name is cut.
  public init(identifier: Bytes16, name: String = "", rssi: Int8, time: Timestamp) {
    self.identifier = identifier
    self.name = Self.cut(name)
    self.rssi = rssi
    self.time = time
  }

  /// Why a line of a scanner was not counted.
  public enum Fault: String, Error, CaseIterable, Sendable {
    case tooLong = "too long"
    case malformed = "malformed"
    case identifier = "unknown identifier"
    case signal = "signal out of range"
    case time = "time out of range"
    case full = "interval full"
    case paused = "proximity is off"
  }

  private struct Line: Decodable {
    var uuid: String
    var name: String?
    var rssi: Double
    var timestamp: Moment?
  }

  /// Seconds or milliseconds since 1970, or RFC 3339.
  private enum Moment: Decodable {
    case number(Double)
    case text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      do {
        self = .number(try container.decode(Double.self))
      } catch {
        self = .text(try container.decode(String.self))
      }
    }

    /// Smaller numbers are seconds: the limit is the year 5138.
    private static let firstMilliseconds = 1e11

    var timestamp: Timestamp? {
      switch self {
      case .text(let text): return Timestamp(rfc3339: text)
      case .number(let number):
        let scaled = number < Self.firstMilliseconds ? number * 1000 : number
        return Int64(exactly: scaled.rounded()).map { Timestamp(milliseconds: $0) }
      }
    }
  }

  /// Parses a line of a scanner: `{"uuid","name","rssi","timestamp"}`.
  ///
  /// - Parameter arrival: the time of a line without a timestamp.
  public init(line: [UInt8], arrival: Timestamp) throws(Fault) {
    guard line.count <= ProximityLimits.lineBytes else { throw .tooLong }
    let read: Line
    do {
      read = try JSONDecoder().decode(Line.self, from: Data(line))
    } catch {
      throw .malformed
    }
    guard let identifier = Self.identifier(of: read.uuid) else { throw .identifier }
    guard let rssi = Int8(exactly: read.rssi.rounded()), (-127...20).contains(rssi) else {
      throw .signal
    }
    guard let time = read.timestamp.map(\.timestamp) ?? arrival else { throw .time }
    self.init(identifier: identifier, name: read.name ?? "", rssi: rssi, time: time)
  }

  /// Parses 32 hexadecimal digits, with or without dashes.
  private static func identifier(of text: String) -> Bytes16? {
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    guard digits.count == 32,
      let high = UInt64(String(decoding: digits.prefix(16), as: UTF8.self), radix: 16),
      let low = UInt64(String(decoding: digits.dropFirst(16), as: UTF8.self), radix: 16),
      digits.allSatisfy({ $0 != UInt8(ascii: "+") })
    else { return nil }
    return Bytes16(high: high, low: low)
  }

  /// Returns the beginning of a name that has at most `ProximityLimits.nameBytes` bytes, without
  /// control characters.
  private static func cut(_ name: String) -> String {
    var short = ""
    for scalar in name.unicodeScalars where scalar.properties.generalCategory != .control {
      guard short.utf8.count + UTF8.width(scalar) <= ProximityLimits.nameBytes else { break }
      short.unicodeScalars.append(scalar)
    }
    return short
  }
}
