import ConfinedHelper

/// The answer to one request, which is sent while it is made.
///
/// ```
/// piece    count of the body (u32) ‖ tag (u8) ‖ body
/// tag      0: the end, without a body
///          1: the names of the columns, or a row of them: `column`, repeated
///          2: a part of the content
///          3: the end; the body is the reason why there is no more, as text
/// column   0  ‖  1 ‖ integer (i64)  ‖  2 ‖ count (u32) ‖ text  ‖  3 ‖ count (u32) ‖ bytes
/// ```
struct Answer {
  enum Tag: UInt8 {
    case end = 0
    case row = 1
    case content = 2
    case failure = 3
  }

  /// The largest body of a piece.
  static let mostBytes = 16 << 20
  private static let bytesAtOnce = 64 << 10

  private let node: Exchange
  private var waiting: [UInt8] = []
  /// Whether the node received all of it so far.
  private(set) var isReceived = true

  init(to node: Exchange) { self.node = node }

  mutating func add(_ tag: Tag, _ body: some Collection<UInt8>) throws(Failure) {
    guard body.count <= Self.mostBytes else {
      throw Failure("a row has more than \(Self.mostBytes >> 20) MiB")
    }
    Bytes.append(UInt32(body.count), to: &waiting)
    waiting.append(tag.rawValue)
    waiting += body
    if waiting.count >= Self.bytesAtOnce { try send() }
  }

  /// Sends the rest, with the reason if it is not whole.
  mutating func end(_ failure: Failure? = nil) {
    do {
      if let failure {
        try add(.failure, failure.text.utf8)
      } else {
        try add(.end, [])
      }
      try send()
    } catch {
      isReceived = false
    }
  }

  private mutating func send() throws(Failure) {
    isReceived = node.write(waiting)
    waiting.removeAll(keepingCapacity: true)
    guard isReceived else { throw Failure("the node is gone") }
  }
}

enum Bytes {
  static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }
}
