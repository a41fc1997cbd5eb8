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
      source.problem(now: Self.moment(Self.patience))?.text.hasPrefix(
        "this laptop gets no position from gpsd localhost:2947 (waiting): ") == true)
    let changes = [source.change(to: .unplugged), source.change(to: .unplugged)]
    #expect(changes == [true, false])
    #expect(
      source.problem(now: Self.moment(Self.patience))?.text.contains(
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

  @Test func `a receiver from which nothing can be used is named within ten seconds`() {
    var source = SourceWatch(name: "/dev/ttyUSB0", now: Self.moment(0))
    _ = source.change(to: .connected)
    for second in Int64(0)..<9 {
      source.record(second == 3 ? .refused(.checksum) : .other, now: Self.moment(second * 1000))
      #expect(source.problem(now: Self.moment(second * 1000)) == nil)
    }
    let problem = source.problem(now: Self.moment(10_000))
    #expect(
      problem?.text.contains("/dev/ttyUSB0 sends data, but no position (wrong checksum)") == true)
    // Given a receiver without a view of the sky, which states that it has no fix
    source.record(.noFix, now: Self.moment(10_500))
    #expect(source.problem(now: Self.moment(10_500)) == nil)
    source.record(.other, now: Self.moment(11_000))
    #expect(source.problem(now: Self.moment(19_000)) == nil)
  }
}
