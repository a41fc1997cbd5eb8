internal import Foundation
internal import MusterModel

/// A message of the OwnTracks app (owntracks.org/booklet/tech/json): `{"_type":"location",…}`.
public enum OwnTracksMessage {
  /// The maximum length. A location has about 300 bytes; lists of waypoints may have thousands.
  public static let longestBytes = 16 * 1024

  private struct Message: PhoneMessage {
    var _type: String
    var lat: Double?
    var lon: Double?
    var acc: Double?
    var tst: Double?
    var tid: String?
    var topic: String?
    var alarm: String?
    var batt: Double?
    /// Of the operating system: `stationary`, `walking` and others.
    var motionactivities: [String]?
  }

  /// Parses a message. Returns nil for other types, such as waypoints and last-will messages.
  ///
  /// - Parameters:
  ///   - user: the value of the header `X-Limit-U`.
  ///   - device: the value of the header `X-Limit-D`. Without both, the message's topic or its
  ///     tracker id (`tid`) identifies the phone.
  public static func read(
    _ body: [UInt8], user: String?, device: String?
  ) throws(ReadingFault) -> TrackerReport? {
    let message = try Message.decode(body, upTo: longestBytes)
    // A success would show on the phone, although the position cannot be read.
    if message._type == "encrypted" { throw .encrypted }
    guard message._type == "location" else { return nil }
    guard let latitude = message.lat, let longitude = message.lon,
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else { throw .place }
    return TrackerReport(
      tracker: try name(of: message, user: user, device: device),
      fix: SourceFix(
        position: position, accuracyDecimetres: Accuracy.decimetres(message.acc),
        sampleTime: try message.tst.map(TrackerTime.read) ?? nil),
      alarm: TrackerAlarm(field: message.alarm, batteryPercent: message.batt),
      batteryPercent: message.batt, isMoving: isMoving(message.motionactivities))
  }

  /// Whether the activities contain a movement; nil if they are unknown.
  private static func isMoving(_ activities: [String]?) -> Bool? {
    guard let activities else { return nil }
    let known: Set<String> = ["walking", "running", "cycling", "automotive"]
    if activities.contains(where: known.contains) { return true }
    return activities.contains("stationary") ? false : nil
  }

  private static func name(
    of message: Message, user: String?, device: String?
  ) throws(ReadingFault) -> TrackerName {
    let given = [user, device].compactMap { $0 }.filter { !$0.isEmpty }
    var text = given.joined(separator: "/")
    if given.isEmpty, let topic = message.topic {
      // `owntracks/USER/DEVICE`
      text = topic.split(separator: "/").dropFirst().joined(separator: "/")
    }
    if text.isEmpty { text = message.tid ?? "" }
    guard let name = TrackerName(text) else { throw .nameless }
    return name
  }
}
