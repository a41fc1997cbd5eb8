/// What command decided about an unverified call, as in the field `unverifiedCallOutcome`.
///
/// It counts for the messages that it names: after a message that its author had not received, the
/// call is open again.
public struct UnverifiedCallOutcome: Hashable, Sendable {
  /// The decision.
  public enum Decision: Hashable, Sendable {
    /// The call needs no action, for this reason.
    case closed(reason: String)
    /// The caller is this person: a user, or the carrier of a tracker.
    case confirmed(UserID)
  }

  /// The decision.
  public let decision: Decision
  /// The messages that its author had received.
  public let seen: [Dot]

  /// Creates an outcome. Nothing is validated here: one out of range is rejected on write.
  public init(_ decision: Decision, seen: [Dot]) {
    self.decision = decision
    self.seen = seen
  }

  /// Whether all replicas accept it.
  public var isWithinLimits: Bool {
    guard (1...Limits.overruledClaims).contains(seen.count) else { return false }
    guard case .closed(let reason) = decision else { return true }
    return !reason.isEmpty && reason.utf8.count <= Limits.unverifiedNoteBytes
      && TextRule.note.accepts(reason)
  }
}

// MARK: Encoding

extension UnverifiedCallOutcome {
  private static let closed: UInt8 = 1
  private static let confirmed: UInt8 = 2

  /// A code, then the reason as text or the person, then the number of messages and their dots.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    switch decision {
    case .closed(let reason):
      writer.append(Self.closed)
      writer.append(reason)
    case .confirmed(let person):
      writer.append(Self.confirmed)
      writer.append(person)
    }
    writer.append(UInt8(clamping: seen.count))
    for dot in seen { writer.append(dot) }
    return writer.bytes
  }

  /// Reads what `encoded` returned. Throws for an outcome that is not within the limits.
  public init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    let decision: Decision =
      switch try reader.integer(UInt8.self) {
      case Self.closed: .closed(reason: try reader.text())
      case Self.confirmed: .confirmed(try reader.identifier(UserID.self))
      default: throw .invalid("outcome of an unverified call")
      }
    var seen: [Dot] = []
    for _ in 0..<(try reader.integer(UInt8.self)) { seen.append(try reader.dot()) }
    try reader.expectEnd()
    self.init(decision, seen: seen)
    guard isWithinLimits else { throw .invalid("outcome out of range") }
  }

  /// Whether bytes are an outcome that all replicas accept.
  static func accepts(_ bytes: [UInt8]) -> Bool {
    do throws(DecodingFault) {
      _ = try UnverifiedCallOutcome(decoding: bytes)
      return true
    } catch {
      return false
    }
  }
}
