internal import Foundation
internal import MusterModel

/// What the OwnTracks app posts (owntracks.org/booklet/tech/json): `{"_type":"location",…}`.
public enum OwnTracksMessage {
  /// A location has some 300 bytes; lists of waypoints may have thousands.
  public static let longestBytes = 16 * 1024

  private struct Message: Decodable {
    var _type: String
    var lat: Double?
    var lon: Double?
    var acc: Double?
    var tst: Double?
    var tid: String?
    var topic: String?
  }

  /// Reads a message; nil for one that is about something else, as waypoints and farewells are.
  ///
  /// - Parameters:
  ///   - user: who sends, by the header `X-Limit-U`.
  ///   - device: with which phone, by the header `X-Limit-D`. Where both are absent, the message's
  ///     own topic or its two letters name it.
  public static func read(
    _ body: [UInt8], user: String?, device: String?
  ) throws(ReadingFault) -> TrackerReport? {
    guard body.count <= longestBytes else { throw .tooLong }
    let message: Message
    do {
      message = try JSONDecoder().decode(Message.self, from: Data(body))
    } catch {
      throw .malformed
    }
    guard message._type == "location" else { return nil }
    guard let latitude = message.lat, let longitude = message.lon,
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else { throw .place }
    return TrackerReport(
      tracker: try name(of: message, user: user, device: device),
      fix: SourceFix(
        position: position, accuracyDecimetres: Accuracy.decimetres(message.acc),
        sampleTime: try message.tst.map(TrackerTime.read) ?? nil))
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
