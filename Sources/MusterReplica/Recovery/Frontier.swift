internal import MusterCrypto
internal import MusterModel
public import MusterStore

/// How far each log was held at one moment, to be recorded outside the database: lost frames can
/// then be named even if the table of logs is lost too.
///
/// Each number is a lower bound, because the database changes after it was recorded.
///
/// It is sealed with the device's own key, because the activity of each author is confidential:
///
///     magic (8) ‖ version (1) ‖ counter (8) ‖ nonce (24) ‖ ciphertext ‖ tag (16)
///     text: number of logs (4), and of each: id (16), hash of its certificate (32), newest
///     sequence (8); big-endian
public struct Frontier: Hashable, Sendable {
  /// By log, ascending; at most `Limits.holdings`.
  let heads: [KnownHead]

  static let headerBytes = 17
  private static let headBytes = 56
  private static let magic = Array("MUSTHELD".utf8)
  private static let version: UInt8 = 1
  /// The length of the longest form.
  public static let mostBytes =
    headerBytes + SealingKey.bodyOverheadBytes + 4 + headBytes * Limits.holdings

  /// Takes the furthest head of each log; of too many logs the longest, which have the most to
  /// lose.
  init(_ heads: [KnownHead]) {
    var furthest: [LogID: KnownHead] = [:]
    for head in heads where furthest[head.log].map({ $0.sequence < head.sequence }) ?? true {
      furthest[head.log] = head
    }
    let longestFirst = furthest.values.sorted { ($1.sequence, $0.log) < ($0.sequence, $1.log) }
    self.heads = longestFirst.prefix(Limits.holdings).sorted { $0.log < $1.log }
  }

  /// - Parameters:
  ///   - counter: determines the newest of several files, and MUST increase.
  ///   - seed: 32 bytes for the nonce, used nowhere else.
  public func sealed(counter: UInt64, of credentials: Credentials, seed: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(reservingCapacity: 4 + Self.headBytes * heads.count)
    writer.append(UInt32(heads.count))
    for head in heads {
      writer.append(head.log)
      writer.append(head.certificate)
      writer.append(head.sequence)
    }
    var random = DeterministicRandom(seed: seed)
    let header = Self.header(counter)
    return header
      + credentials.holdingsKey.sealBody(
        writer.bytes, drawn: random.nonce24(), additionalData: header)
  }

  /// Opens sealed holdings; nil for anything that this device did not seal, or that is incomplete.
  public static func opened(
    _ bytes: [UInt8], of credentials: Credentials
  ) -> (counter: UInt64, holdings: Frontier)? {
    guard bytes.count <= mostBytes else { return nil }
    do {
      var reader = ByteReader(bytes)
      guard try reader.fixed(magic.count) == magic,
        try reader.integer(UInt8.self) == version
      else { return nil }
      let counter = try reader.integer(UInt64.self)
      guard counter < .max,
        let text = credentials.holdingsKey.openBody(
          bytes.dropFirst(headerBytes), additionalData: header(counter))
      else { return nil }
      return (counter, try Frontier(text: text))
    } catch {
      return nil
    }
  }

  private init(text: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(text)
    var heads: [KnownHead] = []
    for _ in 0..<(try reader.count(ofAtLeast: Self.headBytes)) {
      let log = try reader.identifier(LogID.self)
      let certificate = CertificateHash(raw: try reader.bytes32())
      let sequence = try reader.integer(UInt64.self)
      guard sequence <= Limits.lastSequence else { throw .invalid("sequence") }
      heads.append(KnownHead(log: log, certificate: certificate, sequence: sequence))
    }
    try reader.expectEnd()
    self.init(heads)
  }

  private static func header(_ counter: UInt64) -> [UInt8] {
    var writer = ByteWriter(reservingCapacity: headerBytes)
    writer.append(fixed: magic)
    writer.append(version)
    writer.append(counter)
    return writer.bytes
  }
}

extension Credentials {
  fileprivate var holdingsKey: SealingKey {
    let derived = Blake2b.hash256(
      Array("muster holdings 1".utf8), local.signingKey.exportSeed())
    guard let key = SealingKey(bytes: derived.bytes) else {
      preconditionFailure("32 bytes are a key")
    }
    return key
  }
}

extension Frontier {
  /// Reads what the store holds of each log, or is known to have held.
  init(of store: Store) throws(StoreError) {
    let held = try store.logs().map { summary in
      KnownHead(
        log: summary.log, certificate: summary.opening.certificate,
        sequence: summary.head.sequence)
    }
    self.init(held + (try store.missedHeads()))
  }

  /// Stores what was held before and is not held now, so that it counts as missing until a peer
  /// sends it.
  public func noteMissing(in store: Store) throws(StoreError) {
    var held: [LogID: UInt64] = [:]
    for summary in try store.logs() {
      held[summary.log] = max(held[summary.log] ?? 0, summary.head.sequence)
    }
    let missed = heads.filter { head in
      held[head.log].map { $0 < head.sequence } ?? true
    }
    if !missed.isEmpty { try store.know(missed) }
  }
}
