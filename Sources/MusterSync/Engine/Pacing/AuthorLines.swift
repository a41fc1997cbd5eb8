internal import MusterModel

/// Part numbers of one priority, queued per author and served by deficit round robin (Shreedhar and
/// Varghese, 1995), so that one author's flood does not delay the others.
struct AuthorLines: Sendable {
  private struct Line: Sendable {
    let author: CertificateHash?
    var numbers: ArraySlice<UInt64> = []
    var deficit = 0
  }

  /// Lost parts, which are retransmitted before all others.
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

  /// Returns the next part to send. Numbers without a size were removed from the queue and are
  /// skipped.
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

  /// Removes the part that `head` returned. MUST follow `head`.
  mutating func removeHead(size: Int) {
    if front.popLast() != nil { return }
    lines[turn].numbers.removeFirst()
    lines[turn].deficit = max(0, lines[turn].deficit - size)
  }
}
