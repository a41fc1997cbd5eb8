internal import MusterModel

/// The numbers of parts of one importance, a line an author, served by deficit round robin, so that
/// nobody's flood holds up the others.
struct AuthorLines: Sendable {
  private struct Line: Sendable {
    let author: CertificateHash?
    var numbers: ArraySlice<UInt64> = []
    var deficit = 0
  }

  /// Before all others: what was lost.
  private var front: [UInt64] = []
  private var lines: [Line] = []
  private var turn = 0

  mutating func prepend(_ number: UInt64) { front.append(number) }

  mutating func append(_ number: UInt64, of author: CertificateHash?) {
    if let index = lines.firstIndex(where: { $0.author == author }) {
      lines[index].numbers.append(number)
    } else {
      lines.append(Line(author: author, numbers: [number]))
    }
  }

  /// The next to leave; numbers without a size were taken back and are passed over.
  mutating func head(size: (UInt64) -> Int?) -> UInt64? {
    while let number = front.last {
      if size(number) != nil { return number }
      front.removeLast()
    }
    while !lines.isEmpty {
      turn %= lines.count
      while let number = lines[turn].numbers.first, size(number) == nil {
        lines[turn].numbers.removeFirst()
      }
      guard let number = lines[turn].numbers.first, let bytes = size(number) else {
        lines.remove(at: turn)
        continue
      }
      if lines[turn].deficit >= bytes || lines.count == 1 { return number }
      lines[turn].deficit += packetBytes
      turn += 1
    }
    return nil
  }

  /// MUST follow `head`.
  mutating func removeHead(size: Int) {
    if front.popLast() != nil { return }
    lines[turn].numbers.removeFirst()
    lines[turn].deficit = max(0, lines[turn].deficit - size)
  }
}
