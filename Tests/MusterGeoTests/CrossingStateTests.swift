import MusterGeo
import MusterModel
import Testing

@Suite struct CrossingStateTests {
  /// Inside fence 1, on the way out of fence 2, back outside of fence 3, never in fence 4.
  private func used() -> (CrossingDetector, [FenceUnderWatch]) {
    let halves: [UInt64: Double] = [1: 0.5, 2: 0.1, 3: 0.01, 4: 0.001]
    let fences = halves.keys.sorted().map { id in
      let center = id == 4 ? (5.0, 5.0) : (0.0, 0.0)
      return FenceUnderWatch(
        id: fenceID(id), version: version(id), isActive: true,
        fence: PreparedFence(
          .polygons([FencePolygon(outer: square(around: center, half: halves[id] ?? 1))])),
        mode: .careful)
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
    var restored = try CrossingDetector(decoding: detector.encoded())
    #expect(restored == detector)
    var original = detector
    let fix = Fix(
      position: degrees(0.1001, 0), accuracyDecimetres: 1000,
      sampleTime: Timestamp(milliseconds: 0))
    let transitions = original.observe(fix, fences: fences)
    #expect(transitions.map(\.fence) == [fenceID(2)], "the second fix outside")
    #expect(restored.observe(fix, fences: fences) == transitions)
    #expect(restored == original)
    #expect(
      try CrossingDetector(decoding: CrossingDetector().encoded()) == CrossingDetector())
  }

  @Test func `The bytes are what the format says`() {
    let (detector, _) = used()
    let bytes = detector.encoded()
    #expect(bytes.count == 10 + 4 + 4 * 16 + 4 + 3 * 37)
    #expect(
      Array(bytes[..<14]) == [1, 1] + [UInt8](repeating: 255, count: 6) + [0xF0, 0x60, 0, 0, 0, 4])
    #expect(CrossingDetector().encoded() == [1] + [UInt8](repeating: 0, count: 17))
  }

  @Test func `Bytes that are cut short, longer or of another format are refused`() throws {
    let bytes = used().0.encoded()
    for length in bytes.indices {
      #expect(throws: CrossingStateFault.self) {
        try CrossingDetector(decoding: Array(bytes[..<length]))
      }
    }
    #expect(throws: CrossingStateFault.trailingBytes) {
      try CrossingDetector(decoding: bytes + [0])
    }
    #expect(throws: CrossingStateFault.unknownFormat(2)) {
      try CrossingDetector(decoding: [2] + bytes.dropFirst())
    }
  }

  @Test func `A count of four billion fences is refused before anything is allocated`() {
    #expect(throws: CrossingStateFault.truncated) {
      try CrossingDetector(decoding: [1] + [UInt8](repeating: 0, count: 9) + [255, 255, 255, 255])
    }
  }

  @Test func `No changed byte gets past the checks into a broken state`() {
    let bytes = used().0.encoded()
    var (accepted, refused) = (0, 0)
    for index in bytes.indices {
      for change in [UInt8(1), 0x80, 0xFF] {
        var damaged = bytes
        damaged[index] ^= change
        do {
          let detector = try CrossingDetector(decoding: damaged)
          detector.checkInvariants()
          #expect(detector.encoded() == damaged, "one state has one form")
          accepted += 1
        } catch {
          refused += 1
        }
      }
    }
    #expect(accepted > 0 && refused > 0)
  }
}
