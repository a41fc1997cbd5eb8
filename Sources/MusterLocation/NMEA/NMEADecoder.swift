internal import MusterModel

/// Decodes fixes from NMEA 0183 sentences, as receivers write them to a serial line, a file or UDP
/// datagrams.
///
/// RMC contains position, time and date, and produces a fix at once. GGA, GNS, GSA and GST of the
/// same or recent seconds determine its accuracy:
///
/// - GST's standard deviations, doubled: about 95 % (as gpsd's `eph`);
/// - otherwise HDOP times `metresPerHDOP`;
/// - otherwise none.
///
/// For a receiver that never writes RMC, GGA or GNS is used, and without these GLL. They have no
/// date: such a fix has no time.
/// Built for hostile input: it buffers one line, and an invalid checksum or field costs one
/// sentence.
public struct NMEADecoder: Sendable {
  /// Metres at 95 % for an HDOP of 1: a plain receiver outdoors.
  static let metresPerHDOP = 5.0
  /// After this many sentences without an RMC, GGA and GNS produce fixes; after as many without any
  /// of the three, GLL does.
  private static let sentencesWithoutBetter = 8
  /// The maximum age of accuracy data, by the receiver's own time of day.
  private static let qualityMilliseconds: Int64 = 3000
  private static let dayMilliseconds: Int64 = 86_400_000

  private var splitter = LineSplitter(longest: NMEASentence.longestLine)
  private var quality: Quality?
  private var sentencesSinceRMC = 0
  /// Since an RMC, a GGA or a GNS.
  private var sentencesSinceFixData = 0

  /// The receiver's latest accuracy data.
  private struct Quality {
    var time: Int64
    var hasFix = true
    var dilution: Double?
    var deviationMetres: Double?
  }

  /// Creates a decoder without any data.
  public init() {}

  /// Returns the readings in these bytes, in order. A sentence may span several calls.
  public mutating func take(_ bytes: some Sequence<UInt8>) -> [Reading] {
    splitter.take(bytes).flatMap { read($0) }
  }

  /// Returns the reading of a last sentence without an end of line.
  public mutating func finish() -> [Reading] {
    splitter.finish().flatMap { read($0) }
  }

  /// Returns the readings in a datagram: many programs send one sentence in each, without an end of
  /// line.
  public mutating func take(datagram bytes: some Sequence<UInt8>) -> [Reading] {
    var readings = take(bytes)
    let rest = splitter.unfinished
    if rest.count > 3, rest[rest.count - 3] == UInt8(ascii: "*") { readings += finish() }
    return readings
  }

  private mutating func read(_ line: [UInt8]?) -> [Reading] {
    guard let line else { return [.refused(.tooLong)] }
    return NMEASentence.pieces(of: line).map { piece in
      do throws(ReadingFault) {
        guard let sentence = try NMEASentence(piece) else { return .other }
        return try read(sentence)
      } catch {
        return .refused(error)
      }
    }
  }

  private mutating func read(_ sentence: NMEASentence) throws(ReadingFault) -> Reading {
    sentencesSinceRMC = min(sentencesSinceRMC + 1, Self.sentencesWithoutBetter)
    sentencesSinceFixData = min(sentencesSinceFixData + 1, Self.sentencesWithoutBetter)
    switch sentence.kind {
    case "RMC":
      (sentencesSinceRMC, sentencesSinceFixData) = (0, 0)
      return try recommendedMinimum(sentence)
    case "GGA":
      sentencesSinceFixData = 0
      // 0 is none, 7 is manual input, 8 is a simulation.
      let hasFix = sentence.letter(5).map { !["0", "7", "8"].contains($0) } ?? false
      return try fixData(sentence, hasFix: hasFix)
    case "GNS":
      sentencesSinceFixData = 0
      return try fixData(sentence, hasFix: Self.hasFix(modes: sentence.field(5)))
    case "GLL": return try geographicPosition(sentence)
    case "GST": return try errorStatistics(sentence)
    case "GSA": return activeSatellites(sentence)
    default: return .other
    }
  }

  // MARK: Sentences

  /// time, status, latitude, N/S, longitude, E/W, speed, course, date, variation, E/W, mode.
  private mutating func recommendedMinimum(
    _ sentence: NMEASentence
  ) throws(ReadingFault) -> Reading {
    let mode = sentence.letter(11)
    guard sentence.letter(1) == "A", mode != "N", mode != "M", mode != "S" else { return .noFix }
    let position = try NMEAFields.position(sentence, at: 2)
    let time = try NMEAFields.timeOfDay(sentence.field(0))
    let day = try NMEAFields.day(sentence.field(8))
    var accuracy: UInt32?
    if let quality, let time, isFresh(quality, at: time) {
      guard quality.hasFix else { return .noFix }
      // A dead-reckoned position is less accurate than the last fix.
      if mode != "E" { accuracy = Self.accuracy(quality) }
    }
    let sampleTime = time.flatMap { time in day.map { Timestamp(milliseconds: $0 + time) } }
    return .fix(
      SourceFix(position: position, accuracyDecimetres: accuracy, sampleTime: sampleTime))
  }

  /// GGA and GNS: time, latitude, N/S, longitude, E/W, quality or modes, satellites, HDOP,
  /// altitude, …
  private mutating func fixData(
    _ sentence: NMEASentence, hasFix: Bool
  ) throws(ReadingFault) -> Reading {
    guard let time = try NMEAFields.timeOfDay(sentence.field(0)) else { return .noFix }
    var now = fresh(at: time)
    now.hasFix = hasFix
    now.dilution = sentence.number(7)
    quality = now
    guard sentencesSinceRMC >= Self.sentencesWithoutBetter else { return hasFix ? .other : .noFix }
    guard hasFix else { return .noFix }
    return .fix(
      SourceFix(
        position: try NMEAFields.position(sentence, at: 1),
        accuracyDecimetres: Self.accuracy(now), sampleTime: nil))
  }

  /// The modes of GNS, a letter for each satellite system: N is none, M manual input, S a
  /// simulation.
  private static func hasFix(modes: ArraySlice<UInt8>?) -> Bool {
    let letters = Set((modes ?? []).map { Character(Unicode.Scalar($0)) })
    return !letters.subtracting(["N"]).isEmpty && letters.isDisjoint(with: ["M", "S"])
  }

  /// latitude, N/S, longitude, E/W, time, status, mode.
  private func geographicPosition(_ sentence: NMEASentence) throws(ReadingFault) -> Reading {
    let mode = sentence.letter(6)
    // Older receivers state no status.
    let isValid = sentence.letter(5).map { $0 == "A" } ?? true
    guard isValid, mode != "N", mode != "M", mode != "S" else { return .noFix }
    guard sentencesSinceFixData >= Self.sentencesWithoutBetter else { return .other }
    return .fix(
      SourceFix(
        position: try NMEAFields.position(sentence, at: 0), accuracyDecimetres: nil,
        sampleTime: nil))
  }

  /// time, RMS, three of the error ellipse, deviations of latitude, longitude and altitude.
  private mutating func errorStatistics(_ sentence: NMEASentence) throws(ReadingFault) -> Reading {
    guard let time = try NMEAFields.timeOfDay(sentence.field(0)) else { return .other }
    var now = fresh(at: time)
    if let north = sentence.number(5), let east = sentence.number(6) {
      now.deviationMetres = (north * north + east * east).squareRoot()
    }
    quality = now
    return .other
  }

  /// selection, kind of fix (1 is none), twelve satellites, PDOP, HDOP, VDOP. It has no time.
  private mutating func activeSatellites(_ sentence: NMEASentence) -> Reading {
    guard sentence.letter(1) != "1" else { return .noFix }
    if quality?.dilution == nil { quality?.dilution = sentence.number(15) }
    return .other
  }

  // MARK: Quality

  private func fresh(at time: Int64) -> Quality {
    guard let quality, isFresh(quality, at: time) else { return Quality(time: time) }
    var kept = quality
    kept.time = time
    return kept
  }

  /// Compares by the time of day, across midnight.
  private func isFresh(_ quality: Quality, at time: Int64) -> Bool {
    let difference = (time - quality.time + Self.dayMilliseconds) % Self.dayMilliseconds
    return min(difference, Self.dayMilliseconds - difference) <= Self.qualityMilliseconds
  }

  private static func accuracy(_ quality: Quality) -> UInt32? {
    let metres = quality.deviationMetres.map { $0 * 2 }
    return Accuracy.decimetres(metres ?? quality.dilution.map { $0 * metresPerHDOP })
  }
}
