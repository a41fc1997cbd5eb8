internal import Foundation
internal import MusterModel

/// A message of Traccar Client since version 9:
/// `{"location":{"timestamp":"…","coords":{"latitude":…,…}},"device_id":"…"}`.
/// Earlier versions send an `OsmAndQuery` to the same address.
public enum TraccarMessage {
  /// The maximum length. A position has about 600 bytes.
  public static let longestBytes = 16 * 1024

  private struct Message: PhoneMessage {
    struct Location: Decodable {
      var timestamp: String?
      var coords: Coordinates
      var battery: Battery?
      var extras: Extras?
      var is_moving: Bool?
    }

    struct Battery: Decodable {
      /// From 0 to 1.
      var level: Double?
    }

    struct Extras: Decodable {
      var alarm: String?
    }

    struct Coordinates: Decodable {
      var latitude: Double?
      var longitude: Double?
      var accuracy: Double?
    }

    var location: Location
    var device_id: String?
  }

  /// Returns whether a body is a JSON object, and so no form.
  public static func matches(_ body: [UInt8]) -> Bool { body.first == UInt8(ascii: "{") }

  /// Parses a message.
  public static func read(_ body: [UInt8]) throws(ReadingFault) -> TrackerReport {
    let message = try Message.decode(body, upTo: longestBytes)
    guard let tracker = message.device_id.flatMap({ TrackerName($0) }) else { throw .nameless }
    let coords = message.location.coords
    guard let latitude = coords.latitude, let longitude = coords.longitude,
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else { throw .place }
    return TrackerReport(
      tracker: tracker,
      fix: SourceFix(
        position: position, accuracyDecimetres: Accuracy.decimetres(coords.accuracy),
        sampleTime: try TrackerTime.read(message.location.timestamp)),
      alarm: TrackerAlarm(
        field: message.location.extras?.alarm,
        batteryPercent: message.location.battery?.level.map { $0 * 100 }),
      batteryPercent: message.location.battery?.level.map { $0 * 100 },
      isMoving: message.location.is_moving)
  }
}
