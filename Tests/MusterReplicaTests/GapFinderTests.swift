import MusterModel
import Testing

@testable import MusterReplica
@testable import MusterStore

/// The missing frames of a log, derived from what damage left of it.
@Suite("Gaps in a damaged log")
struct GapFinderTests {
  private let operation = OperationID(raw: Bytes16(high: 1, low: 1))
  private let log = LogID(raw: Bytes16(high: 2, low: 2))

  /// Frames 0 to 9 as they were stored.
  private func copies() -> [SalvagedFrame] {
    var previous = FrameHash.none
    return (UInt64(0)..<10).map { sequence in
      let frame = Frame(
        log: log, sequence: sequence, previous: previous, epoch: nil, body: [UInt8(sequence), 7],
        hash: .none, signature: nil)
      previous = frame.computedHash(operation: operation)
      return copy(sequence, frame.body, previous)
    }
  }

  private func copy(_ sequence: UInt64, _ body: [UInt8], _ hash: FrameHash) -> SalvagedFrame {
    SalvagedFrame(
      log: log, sequence: sequence, epoch: nil, body: body, hash: hash, signature: nil)
  }

  private func gaps(_ copies: [SalvagedFrame], held: Head? = nil) -> [ClosedRange<UInt64>] {
    var finder = GapFinder(operation: operation, known: 9, held: held)
    for copy in copies where copy.sequence >= finder.first { finder.add(copy) }
    return finder.finish()
  }

  /// Returns copies with another body under the old hash.
  private func spoiling(_ places: UInt64..., in copies: [SalvagedFrame]) -> [SalvagedFrame] {
    copies.map { places.contains($0.sequence) ? copy($0.sequence, [9], $0.hash) : $0 }
  }

  @Test func `nothing is missing if every frame is intact, even with an unknown author`() {
    #expect(gaps(copies()) == [])
    #expect(gaps([]) == [0...9])
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a frame with corrupt contents is missing, the first one too`(place: UInt64) {
    #expect(gaps(spoiling(place, in: copies())) == [place...place])
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a frame without a copy is missing`(place: UInt64) {
    // After a gap, no later frame proves the last one.
    let last = place == 8 ? 9 : place
    #expect(gaps(copies().filter { $0.sequence != place }) == [place...last])
  }

  @Test(arguments: 0..<9 as Range<UInt64>)
  func `a corrupt hash makes two frames undecidable`(place: UInt64) {
    let left = copies().map { $0.sequence == place ? copy(place, $0.body, .none) : $0 }
    #expect(gaps(left) == [place...place + 1])
  }

  @Test func `an intact copy beside a corrupt one suffices`() {
    let whole = copies()
    let both = whole.flatMap { [copy($0.sequence, [9], $0.hash), $0] }
    #expect(gaps(both) == [])
  }

  @Test func `after a gap the first frame is undecidable, and counts as present`() {
    let left = copies().filter { !(3...5).contains($0.sequence) }
    #expect(gaps(left) == [3...5])
    #expect(gaps(spoiling(6, in: left)) == [3...5])
    #expect(gaps(spoiling(7, in: left)) == [3...7])
  }

  @Test func `frames after the held ones are treated in the same way`() {
    let whole = copies()
    let held = Head(log: log, sequence: 4, hash: whole[4].hash)
    #expect(gaps(whole, held: held) == [])
    #expect(gaps(spoiling(5, in: whole), held: held) == [5...5])
    #expect(gaps(spoiling(9, in: whole), held: held) == [9...9])
  }
}
