internal import MusterModel

/// An instant, or an interval that may be open at either end (OGC 17-069r4, 7.15.4).
struct Period: Hashable, Sendable {
  private var earliest: Timestamp?
  private var latest: Timestamp?

  /// Parses an instant of RFC 3339, or two with a slash between; `..` or nothing is an open end.
  init(parsing text: String) throws(Problem) {
    let ends = text.split(separator: "/", omittingEmptySubsequences: false)
    func end(_ words: Substring) throws(Problem) -> Timestamp? {
      if ends.count == 2, words.isEmpty || words == ".." { return nil }
      guard let time = Timestamp(rfc3339: words) else {
        throw Problem(
          .badRequest, "write a time as 2010-08-05T14:23:59Z, or an interval as TIME/TIME",
          at: "datetime")
      }
      return time
    }
    guard let first = ends.first, let last = ends.last, ends.count <= 2 else {
      throw Problem(.badRequest, "an interval has two ends", at: "datetime")
    }
    (earliest, latest) = (try end(first), try end(last))
    if let earliest, let latest, latest < earliest {
      throw Problem(.badRequest, "the interval ends before it begins", at: "datetime")
    }
  }

  func meets(_ time: ClosedRange<Timestamp>) -> Bool {
    (earliest.map { $0 <= time.upperBound } ?? true)
      && (latest.map { time.lowerBound <= $0 } ?? true)
  }
}
