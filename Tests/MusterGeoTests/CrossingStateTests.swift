import MusterGeo
import MusterModel
import Testing

@Suite struct CrossingStateTests {
  /// Inside fence 1, on the way out of fence 2, back outside of fence 3, never in fence 4, and not
  /// long enough in fence 5 yet.
  private func used() -> (CrossingDetector, [FenceUnderWatch]) {
    let halves: [UInt64: Double] = [1: 0.5, 2: 0.1, 3: 0.01, 4: 0.001, 5: 0.2]
    let fences = halves.keys.sorted().map { id in
      let center = id == 4 ? (5.0, 5.0) : (0.0, 0.0)
      return FenceUnderWatch(
        id: fenceID(id), version: version(id), isActive: true,
        fence: PreparedFence(
          .polygons([FencePolygon(outer: square(around: center, half: halves[id] ?? 1))])),
        mode: .careful, dwellSeconds: id == 5 ? 60 : 0)
    }
    var detector = CrossingDetector()
    for (second, north) in [0.0, 0.1001].enumerated() {
      let fix = Fix(
        position: degrees(north, 0), accuracyDecimetres: 1000,
        sampleTime: Timestamp(milliseconds: Int64(second) * 1000 - 5000))
      _ = detector.observe(fix, fences: fences)
    }
    return (detector, fences)
  }

  @Test func `The state survives a restart, and the next fix means the same`() throws {
    let (detector, fences) = used()
    var restored = try CrossingDetector(
      decoding: detector.encoded(), watch: detector.encodedWatch())
    #expect(restored == detector)
    var original = detector
    for (second, fence) in [(0, fenceID(2)), (55, fenceID(5))] {
      let fix = Fix(
        position: degrees(0.1001, 0), accuracyDecimetres: 1000,
        sampleTime: Timestamp(milliseconds: Int64(second) * 1000))
      let transitions = original.observe(fix, fences: fences)
      #expect(transitions.map(\.fence) == [fence], "the second fix outside, then the dwell time")
      #expect(restored.observe(fix, fences: fences) == transitions)
      #expect(restored == original)
    }
    let fresh = CrossingDetector()
    #expect(try CrossingDetector(decoding: fresh.encoded(), watch: fresh.encodedWatch()) == fresh)
  }

  @Test func `The bytes match the format`() {
    let (detector, fences) = used()
    let bytes = detector.encoded()
    #expect(bytes.count == 10 + 4 + 3 * 41 + 4 + 3 * 41)
    #expect(
      Array(bytes[..<14]) == [3, 1] + [UInt8](repeating: 255, count: 6) + [0xF0, 0x60, 0, 0, 0, 3])
    #expect(CrossingDetector().encoded() == [3] + [UInt8](repeating: 0, count: 17))
    #expect(detector.encodedWatch() == fences.flatMap(\.id.bytes))
    #expect(detector.watchesAs(used().0))
    #expect(!detector.watchesAs(CrossingDetector()))
  }

  @Test func `The state of an earlier program is read, and its rates begin there`() throws {
    let (detector, _) = used()
    let bytes = detector.encoded()
    let counts = 10 + 4 + 3 * 41 + 4
    var earlier = [2] + bytes[1..<counts]
    for index in 0..<3 { earlier += bytes[(counts + index * 41)...].prefix(20) }
    let read = try CrossingDetector(decoding: earlier, watch: detector.encodedWatch())
    #expect(read.lastSampleTime == detector.lastSampleTime)
    for fence in 1...5 {
      #expect(
        read.presence(in: fenceID(UInt64(fence))) == detector.presence(in: fenceID(UInt64(fence))))
    }
  }

  @Test func `Bytes that are cut short, longer or of another format are refused`() throws {
    let detector = used().0
    let (bytes, watch) = (detector.encoded(), detector.encodedWatch())
    for length in bytes.indices {
      #expect(throws: CrossingStateFault.self) {
        try CrossingDetector(decoding: Array(bytes[..<length]), watch: watch)
      }
    }
    for length in watch.indices.dropFirst(64) {
      #expect(throws: CrossingStateFault.self) {
        try CrossingDetector(decoding: bytes, watch: Array(watch[..<length]))
      }
    }
    #expect(throws: CrossingStateFault.trailingBytes) {
      try CrossingDetector(decoding: bytes + [0], watch: watch)
    }
    #expect(throws: CrossingStateFault.unknownFormat(1)) {
      try CrossingDetector(decoding: [1] + bytes.dropFirst(), watch: watch)
    }
  }

  @Test func `A count of four billion stays is refused before anything is allocated`() {
    #expect(throws: CrossingStateFault.truncated) {
      try CrossingDetector(
        decoding: [2] + [UInt8](repeating: 0, count: 9) + [255, 255, 255, 255], watch: [])
    }
  }

  @Test func `No changed byte gets past the checks into a broken state`() {
    let detector = used().0
    let (bytes, watch) = (detector.encoded(), detector.encodedWatch())
    var (accepted, refused) = (0, 0)
    for index in 0..<(bytes.count + watch.count) {
      for change in [UInt8(1), 0x80, 0xFF] {
        var damaged = bytes + watch
        damaged[index] ^= change
        do {
          let detector = try CrossingDetector(
            decoding: Array(damaged[..<bytes.count]), watch: Array(damaged[bytes.count...]))
          detector.checkInvariants()
          #expect(detector.encoded() + detector.encodedWatch() == damaged, "one form a state")
          accepted += 1
        } catch {
          refused += 1
        }
      }
    }
    #expect(accepted > 0 && refused > 0)
  }
}
