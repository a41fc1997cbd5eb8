public import MusterModel

/// The result of parsing one unit of location input: a sentence, a line, a request.
public enum Reading: Hashable, Sendable {
  /// A position.
  case fix(SourceFix)
  /// The receiver works and has no fix.
  case noFix
  /// Well-formed input about something else.
  case other
  /// Rejected input, with the reason.
  case refused(ReadingFault)
}

/// A fix as reported by its source, before its time and position are validated.
public struct SourceFix: Hashable, Sendable {
  /// Within the ranges of latitude and longitude; not validated otherwise.
  public var position: Coordinate
  /// Nil if the source reports none, or an invalid length.
  public var accuracyDecimetres: UInt32?
  /// Nil if the source reports none: then the fix counts as new.
  public var sampleTime: Timestamp?

  /// Creates a fix as reported.
  public init(position: Coordinate, accuracyDecimetres: UInt32?, sampleTime: Timestamp?) {
    self.position = position
    self.accuracyDecimetres = accuracyDecimetres
    self.sampleTime = sampleTime
  }
}

/// The reason why location input was rejected. The texts appear in `status`.
public enum ReadingFault: String, Error, Hashable, Sendable, CaseIterable {
  /// More bytes than such a line ever has.
  case tooLong = "line too long"
  /// The checksum of an NMEA sentence is missing or wrong.
  case checksum = "wrong checksum"
  /// Not valid in the protocol.
  case malformed = "malformed"
  /// Latitude or longitude is missing, not a number, or out of range.
  case place = "invalid position"
  /// An invalid time.
  case time = "invalid time"
  /// A phone that does not identify itself.
  case nameless = "tracker without an id"
  /// A phone that encrypts its positions with a key that the node does not have.
  case encrypted =
    "encrypted: set the app's key as owntracks-key in muster.toml, or remove it in the app"
}
