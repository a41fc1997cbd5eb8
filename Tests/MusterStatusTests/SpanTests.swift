import MusterStatus
import Testing

@Suite("Intervals of time")
struct SpanTests {
  @Test func `intersect in their common part`() {
    let first = Span(earliest: 0, latest: 10)
    #expect(first.intersection(Span(earliest: 5, latest: 20)) == Span(earliest: 5, latest: 10))
    #expect(first.intersection(Span(earliest: 10, latest: 20)) == Span(earliest: 10, latest: 10))
    #expect(first.intersection(Span(earliest: 11, latest: 20)) == nil)
  }
}
