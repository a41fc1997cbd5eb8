internal import MusterModel

extension GPXTrack {
  /// The fixes of recorded NMEA sentences, as a track to be replayed; at most `maximumPoints`. Has
  /// no points where no sentence tells a place.
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
