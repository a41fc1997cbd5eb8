/// The first message of a TLS client (RFC 8446 §4.1.2), as far as a listener needs it to choose a
/// certificate.
struct ClientHello {
  /// The application protocols that the client offers (RFC 7301).
  private(set) var protocols: [[UInt8]] = []

  /// The header and the most content of a record (RFC 8446 §5.1).
  static let mostBytes = 5 + 16_384
  private static let handshake: UInt8 = 22
  private static let clientHello = 1
  private static let applicationProtocols = 16

  /// What is known of a connection's first bytes.
  enum Reading {
    case incomplete
    /// The first record is complete, and not one of TLS.
    case invalid
    case complete(ClientHello)
  }

  /// Reads the first record of a connection. A message in several records counts as one without
  /// the rest.
  static func read(_ bytes: some Collection<UInt8>) -> Reading {
    var input = Reader(bytes)
    guard let kind = input.number(1) else { return .incomplete }
    guard kind == Self.handshake else { return .invalid }
    guard input.skip(2), let count = input.number(2) else { return .incomplete }
    guard count <= mostBytes - 5 else { return .invalid }
    guard var record = input.part(count) else { return .incomplete }
    guard record.number(1) == clientHello, record.number(3) != nil else { return .invalid }
    // The version, the random number, the session, the ciphers, the compression.
    guard record.skip(2 + 32), record.vector(1) != nil, record.vector(2) != nil,
      record.vector(1) != nil, record.number(2) != nil
    else { return .invalid }
    var hello = ClientHello()
    while let type = record.number(2), var content = record.vector(2) {
      guard type == applicationProtocols, var list = content.vector(2) else { continue }
      while let name = list.vector(1) { hello.protocols.append(Array(name.rest)) }
    }
    return .complete(hello)
  }

  /// Browsers offer HTTP/2, uplinks HTTP/1.1 alone.
  var isOfBrowser: Bool { protocols.contains(Array("h2".utf8)) }

  /// Reads big-endian numbers and vectors; nil or false where the input ends.
  private struct Reader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = Array(bytes)[...] }

    mutating func number(_ count: Int) -> Int? {
      part(count).map { $0.rest.reduce(0) { $0 << 8 | Int($1) } }
    }

    mutating func skip(_ count: Int) -> Bool { part(count) != nil }

    mutating func part(_ count: Int) -> Reader? {
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return Reader(rest.prefix(count))
    }

    /// A part after its length.
    mutating func vector(_ lengthBytes: Int) -> Reader? { number(lengthBytes).flatMap { part($0) } }
  }
}
