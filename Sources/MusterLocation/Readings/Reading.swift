public import MusterModel

/// What one piece of a location source's words came to: a sentence, a line, a request.
public enum Reading: Hashable, Sendable {
  /// Somebody is somewhere.
  case fix(SourceFix)
  /// The receiver works and does not know where it is.
  case noFix
  /// Well-formed, and about something else.
  case other
  /// Nothing to be used, and why.
  case refused(ReadingFault)
}

/// A fix as a source tells it, before anybody has judged its time and its place.
public struct SourceFix: Hashable, Sendable {
  /// Within the ranges of latitude and longitude; nothing else has been checked.
  public var position: Coordinate
  /// Nil where the source says none, or one that is no length.
  public var accuracyDecimetres: UInt32?
  /// Nil where the source says none: then it counts as just taken.
  public var sampleTime: Timestamp?

  /// As it was told.
  public init(position: Coordinate, accuracyDecimetres: UInt32?, sampleTime: Timestamp?) {
    self.position = position
    self.accuracyDecimetres = accuracyDecimetres
    self.sampleTime = sampleTime
  }
}

/// Why words of a location source were not used. The texts are shown by `status`.
public enum ReadingFault: String, Error, Hashable, Sendable, CaseIterable {
  /// More bytes than such a line ever has.
  case tooLong = "line too long"
  /// The sum at the end of an NMEA sentence is missing, or is not that of the sentence.
  case checksum = "wrong checksum"
  /// Not what the protocol writes.
  case malformed = "malformed"
  /// Latitude or longitude is missing, no number or out of range.
  case place = "no such place"
  /// A time that no calendar has.
  case time = "no such time"
  /// A phone that does not say which it is.
  case nameless = "tracker without an id"
}
