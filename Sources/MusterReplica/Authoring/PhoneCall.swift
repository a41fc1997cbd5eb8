internal import MusterCrypto
public import MusterModel

/// A call for help in a message of a phone.
public struct PhoneCall: Hashable, Sendable {
  /// The word of the alarm.
  public let word: String
  /// When the call was made, by the phone's clock; nil if the message does not state it.
  public let madeAt: Timestamp?
  /// The note of the call for help: a line.
  public let note: String
  /// Whether the message is within the rate of calls of its phone. Beyond it, a message while a
  /// call is open is not even remembered: it costs no commit.
  public let isWithinRate: Bool

  /// Creates a call.
  public init(word: String, madeAt: Timestamp?, note: String, isWithinRate: Bool = true) {
    self.word = word
    self.madeAt = madeAt
    self.note = note
    self.isWithinRate = isWithinRate
  }
}

/// The calls for help that a phone's messages made, so that the same message raises no second one,
/// also after a restart (decision 0094).
///
/// Local to this device, and stored with the claim. A message without a time is of the moment, and
/// the same as no other.
struct PhoneCallLog: Sendable {
  /// The newest messages that are kept: an app repeats the last few.
  static let most = 32

  private let key: String
  /// Oldest first.
  private let known: [Bytes16]

  /// - Parameters:
  ///   - tracker: names the phone; nil for that of this device's user.
  ///   - stored: returns a local setting.
  init(of tracker: Bytes16?, _ stored: (String) throws -> [UInt8]?) rethrows {
    key = "phone calls \(tracker.map { Hex.encode($0.bytes) } ?? "own")"
    let bytes = try stored(key) ?? []
    known = stride(from: 0, to: bytes.count, by: 16).compactMap { Bytes16(bytes[$0...].prefix(16)) }
  }

  /// Whether a message with this call was received before.
  func contains(_ call: PhoneCall) -> Bool { Self.name(of: call).map(known.contains) ?? false }

  /// The setting with one more call; the oldest is dropped beyond the limit.
  func adding(_ call: PhoneCall) -> [String: [UInt8]] {
    guard let name = Self.name(of: call) else { return [:] }
    return [key: (known + [name]).suffix(Self.most).flatMap(\.bytes)]
  }

  private static func name(of call: PhoneCall) -> Bytes16? {
    call.madeAt.map { time in
      Blake2b.hash256(
        Array("muster phone call 1".utf8),
        Array("\(time.milliseconds) \(call.word.lowercased())".utf8)
      ).prefix
    }
  }
}
