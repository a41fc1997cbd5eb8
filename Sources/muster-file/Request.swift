/// What a node asks for. `MusterFile` has the layout.
enum Request {
  case query(Query)
  /// - limit: the most bytes of the content.
  case inflate(ArraySlice<UInt8>, limit: Int)

  struct Query {
    let text: String
    /// The values of `?1` and those that follow.
    let numbers: [Int64]
    let mostRows: Int
  }

  /// Returns nil for what is no request.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 6 else { return nil }
    func number(at start: Int, _ width: Int) -> UInt64 {
      bytes[start..<start + width].reduce(0) { $0 << 8 | UInt64($1) }
    }
    let limit = Int(number(at: 1, 4))
    switch bytes[0] {
    case 1:
      let textStart = 6 + 8 * Int(bytes[5])
      guard bytes.count >= textStart else { return nil }
      self = .query(
        Query(
          text: String(decoding: bytes[textStart...], as: UTF8.self),
          numbers: (0..<Int(bytes[5])).map { Int64(bitPattern: number(at: 6 + 8 * $0, 8)) },
          mostRows: limit))
    case 2: self = .inflate(bytes[5...], limit: limit)
    default: return nil
    }
  }
}
