import MusterModel
import Testing

@testable import MusterNode

@Suite struct `Notices about photos` {
  private static let photo = BlobID(raw: Bytes16(high: 1, low: 2))

  private static func moment(_ milliseconds: Int64) -> Instant {
    Instant(microseconds: milliseconds * 1000)
  }

  @Test func `the first progress is announced at once, the next after a second`() {
    var notices = PhotoNotices()
    #expect(notices.due == nil && notices.take(now: Self.moment(5000)).isEmpty)
    notices.note([Self.photo])
    #expect(notices.take(now: Self.moment(5000)) == [Self.photo])
    notices.announced(from: Self.moment(5000), to: Self.moment(5001))
    notices.note([Self.photo])
    #expect(notices.due == Self.moment(6001))
    #expect(notices.take(now: Self.moment(6000)).isEmpty)
    #expect(notices.take(now: Self.moment(6001)) == [Self.photo])
    #expect(notices.due == nil)
  }

  @Test func `a node that needs long to find the reports rests longer`() {
    var notices = PhotoNotices()
    notices.announced(from: Self.moment(0), to: Self.moment(200))
    notices.note([Self.photo])
    #expect(notices.due == Self.moment(4200))
  }
}
