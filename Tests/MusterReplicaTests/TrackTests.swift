import MusterModel
import Testing

@testable import MusterReplica

@Suite("Tracks")
struct TrackTests {
  private func fixes(_ count: Int) -> [Fix] {
    (0..<count).map { number in
      let accuracy: UInt32? = number % 3 == 0 ? nil : UInt32(number % 40)
      return fix(
        metresNorth: Int64(number) * 7, second: Int64(number) * 5, accuracyMetres: accuracy)
    }
  }

  // MARK: Encoding

  @Test func `a track segment is read back unchanged, and needs few bytes`() {
    for count in [0, 1, 2, 128] {
      let segment = TrackSegment(fixes(count))
      #expect(TrackSegment(decoding: segment.encoded()) == segment)
    }
    #expect(TrackSegment(fixes(128)).encoded().count < 128 * 8)
  }

  @Test func `a full segment of any fixes fits its field`() throws {
    let corners = try [(-900_000_000, -1_800_000_000), (900_000_000, 1_800_000_000)].map {
      try #require(Coordinate(latitudeE7: $0.0, longitudeE7: $0.1))
    }
    let far = (0..<TrackSegment.mostFixes).map {
      Fix(
        position: corners[$0 % 2], accuracyDecimetres: .max,
        sampleTime: Timestamp(milliseconds: $0 % 2 == 0 ? .min : .max))
    }
    let bytes = TrackSegment(far).encoded()
    #expect(bytes.count <= Limits.trackSegmentBytes)
    #expect(TrackSegment(decoding: bytes)?.fixes == far)
  }

  @Test func `invalid bytes are not a track, and never trap`() {
    let genuine = TrackSegment(fixes(20)).encoded()
    #expect(TrackSegment(decoding: []) == nil)
    #expect(TrackSegment(decoding: [2]) == nil)
    #expect(TrackSegment(decoding: genuine.dropLast() + [0x80]) == nil)
    #expect(TrackSegment(decoding: [1] + [UInt8](repeating: 0xFF, count: 4000)) == nil)
    #expect(TrackSegment(decoding: [1] + [UInt8](repeating: 0, count: 129 * 4)) == nil)
    for place in genuine.indices {
      for bit in 0..<8 {
        var bytes = genuine
        bytes[place] ^= 1 << bit
        _ = TrackSegment(decoding: bytes)
      }
    }
  }

  // MARK: Published

  @Test func `a track is published in segments while command's settings require it`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let ben = try valley.ask("Ben") { replica, _ in replica.core.local.author.user }
    func walk(_ range: Range<Int>, isWanted: Bool) throws {
      for step in range {
        let step = Int64(step)
        try valley.at("Ben") { try $0.ingest(fix(metresNorth: step, second: step), now: $1) }
        try valley.at("Ben") { try $0.shareTrack(isWanted: isWanted, now: $1) }
      }
    }
    func shared(by name: String) throws -> [Int64] {
      try valley.ask(name) { replica, _ in try replica.queries.sharedTrack(of: ben) }.map {
        ($0.sampleTime.milliseconds - 1_600_000_000_000) / 1000
      }
    }
    // Given a walk before the settings require it
    try walk(0..<10, isWanted: false)
    try valley.at("Ben") { try $0.shareTrack(isWanted: true, now: $1) }
    // When it continues for less than a segment and more than a segment
    try walk(10..<100, isWanted: true)
    #expect(try shared(by: "Ben") == [])
    try walk(100..<140, isWanted: true)
    try valley.converge()
    // Then that segment is on every node, and nothing from before
    #expect(try shared(by: "Ada") == Array(10..<138))
    // And the rest is published when it has waited long enough
    try valley.run(milliseconds: 600_000)
    try walk(140..<141, isWanted: true)
    try valley.converge()
    #expect(try shared(by: "Ada") == Array(10..<141))
    // And fixes outside that time are never published
    try walk(141..<300, isWanted: false)
    try valley.at("Ben") { try $0.shareTrack(isWanted: true, now: $1) }
    try walk(300..<310, isWanted: true)
    try valley.converge()
    #expect(try shared(by: "Ada") == Array(10..<141))
    #expect(try valley.ask("Ada") { replica, _ in try replica.verify() }.problems == [])
  }
}
