import MusterModel

/// Photos of reports and full disks, from a separate random stream so that older seeds give the
/// same runs.
struct Photographing {
  private var random: RandomStream
  private static let largestBytes: Int64 = 120_000
  private static let scarceBytes: UInt64 = 1 << 20

  init(seed: UInt64) { random = RandomStream(seed: seed, named: "photographing") }

  /// Returns the time of the next action, after its mean time on average.
  mutating func next(mean: Int64, after now: Instant) -> Instant {
    Instant(microseconds: now.microseconds + random.within(1...mean * 2000))
  }

  mutating func actor(among able: [SimulatedNode]) -> SimulatedNode? { random.element(of: able) }

  /// Returns a photo of one of the reports, or in one case of five a measurement of free space.
  mutating func act(on reports: [RowID]) -> Act? {
    guard random.below(5) > 0 else {
      return .space(random.below(2) == 0 ? Self.scarceBytes : 1 << 40)
    }
    let photo = PhotoDraft(
      original: picture(random.within(1...Self.largestBytes)),
      thumbnail: picture(random.within(1...Int64(Limits.thumbnailBytes))))
    return random.element(of: reports).map { .photo($0, photo) }
  }

  private mutating func picture(_ count: Int64) -> PictureDraft {
    var bytes: [UInt8] = []
    while bytes.count < Int(count) {
      withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
    }
    return PictureDraft(
      bytes: Array(bytes.prefix(Int(count))), type: .jpeg, width: 640, height: 480)
  }
}
