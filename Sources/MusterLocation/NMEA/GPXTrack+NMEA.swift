internal import MusterModel

extension GPXTrack {
  /// Creates a track for replay from the fixes of recorded NMEA sentences, at most `maximumPoints`.
  /// It is empty if no sentence contains a position.
  public init(nmea bytes: some Sequence<UInt8>) {
    var decoder = NMEADecoder()
    let readings = decoder.take(bytes) + decoder.finish()
    let points = readings.lazy.compactMap { reading -> Point? in
      guard case .fix(let fix) = reading else { return nil }
      return Point(
        position: fix.position, accuracyDecimetres: fix.accuracyDecimetres, time: fix.sampleTime)
    }
    self.init(points: Array(points.prefix(Self.maximumPoints)))
  }
}
