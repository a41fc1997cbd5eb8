import MusterLocation
import MusterModel
import Testing

@testable import MusterNode

/// A dead receiver is reported to the user of this device.
@Suite struct `The position source` {
  private static func moment(_ milliseconds: Int64) -> Instant {
    Instant(microseconds: 1_000_000 + milliseconds * 1000)
  }
  private static let patience = SourceWatch.patienceMilliseconds

  @Test func `is a problem from three minutes without a fix until the next one`() {
    var source = SourceWatch(name: "gpsd localhost:2947", now: Self.moment(0))
    #expect(source.problem(now: Self.moment(Self.patience - 1)) == nil)
    #expect(
      source.problem(now: Self.moment(Self.patience))?.hasPrefix(
        "this laptop gets no position from gpsd localhost:2947 (waiting): ") == true)
    let changes = [source.change(to: .unplugged), source.change(to: .unplugged)]
    #expect(changes == [true, false])
    #expect(
      source.problem(now: Self.moment(Self.patience))?.contains(
        "(no receiver is plugged in)") == true)
    source.noteFix(now: Self.moment(Self.patience))
    #expect(source.problem(now: Self.moment(2 * Self.patience - 1)) == nil)
    #expect(source.problem(now: Self.moment(2 * Self.patience)) != nil)
  }

  @Test func `is no problem at the end of a recorded track`() {
    var source = SourceWatch(name: "walk.gpx", now: Self.moment(0))
    source.noteRecording()
    _ = source.change(to: .ended)
    #expect(source.problem(now: Self.moment(10 * Self.patience)) == nil)
  }
}
