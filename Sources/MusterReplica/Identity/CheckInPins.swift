internal import MusterCrypto
internal import MusterModel
internal import MusterStore

/// The two PINs that a person chose for check-ins on this device: one for every day, and one that
/// calls for help under duress (decision 0047).
///
/// Only a salted hash of each is stored. The two records have one form and are sorted, so that the
/// stored bytes do not show which PIN is which without a PIN. Both are compared at each check-in,
/// at the same cost.
struct CheckInPins: Sendable, Redacted {
  static let key = "check-in pins"
  private static let proofBytes = 16

  /// What a PIN means.
  enum Meaning: UInt8, Sendable {
    case usual = 0
    case duress = 1
  }

  private struct Record: Sendable, Redacted {
    /// Proves the PIN.
    let proof: [UInt8]
    /// The meaning, exclusive or a byte that only the PIN gives.
    let meaning: UInt8
  }

  private let salt: [UInt8]
  private let cost: PasswordCost
  private let records: [Record]

  /// - Parameter salt: `PasswordHash.saltBytes` random bytes.
  init(usual: String, duress: String, salt: [UInt8], cost: PasswordCost) throws {
    self.salt = salt
    self.cost = cost
    records = try [(usual, Meaning.usual), (duress, .duress)].map { pin, meaning in
      let (proof, mask) = try Self.digest(of: pin, salt, cost)
      return Record(proof: proof, meaning: meaning.rawValue ^ mask)
    }.sorted { $0.proof.lexicographicallyPrecedes($1.proof) }
  }

  /// Returns what a PIN means; nil if it is neither of the two.
  func meaning(of pin: String) throws -> Meaning? {
    guard !pin.isEmpty else { return nil }
    let (proof, mask) = try Self.digest(of: pin, salt, cost)
    var found: Meaning?
    for record in records {
      var difference: UInt8 = 0
      for (left, right) in zip(record.proof, proof) { difference |= left ^ right }
      if difference == 0 { found = Meaning(rawValue: record.meaning ^ mask) }
    }
    return found
  }

  private static func digest(
    of pin: String, _ salt: [UInt8], _ cost: PasswordCost
  ) throws -> (proof: [UInt8], mask: UInt8) {
    let key = try PasswordHash.deriveKey(passphrase: Array(pin.utf8), salt: salt, cost: cost)
    let digest = Blake2b.hash256(Array("muster check-in pin 1".utf8), key.export()).bytes
    return (Array(digest.prefix(proofBytes)), digest[proofBytes])
  }

  // MARK: On this device

  /// The characters of a PIN.
  private static let lengths = 4...64

  /// Returns the PINs of a device; nil if none are set. Unreadable ones were written by another
  /// version, and count as none.
  static func stored(in store: Store) throws(StoreError) -> CheckInPins? {
    guard let bytes = try store.local(key) else { return nil }
    do throws(DecodingFault) {
      return try CheckInPins(decoding: bytes)
    } catch {
      return nil
    }
  }

  /// Whether a check-in with a PIN calls for help. Without PINs nothing calls. Throws if PINs are
  /// set and this is none of them.
  static func isCall(_ pin: String?, in store: Store) throws -> Bool {
    guard let pins = try stored(in: store) else {
      guard pin == nil else {
        throw Refusal("no PINs are set on this laptop: set them with muster checkin pin set")
      }
      return false
    }
    guard let pin else {
      throw Refusal("check-ins on this laptop require your PIN: give it", .notAllowed)
    }
    guard let meaning = try pins.meaning(of: pin) else {
      throw Refusal("the PIN is wrong: try again", .notAllowed)
    }
    return meaning == .duress
  }

  /// The PINs of a device from now on; none if nil.
  struct Replacement: Sendable {
    fileprivate let pins: CheckInPins?

    func store(in batch: inout Batch) {
      if let pins {
        batch.local[CheckInPins.key] = pins.encoded()
      } else {
        batch.forgotten.insert(CheckInPins.key)
      }
    }
  }

  /// Returns what to store for new PINs.
  ///
  /// - Parameter current: one of the PINs that are set.
  static func replacing(
    _ current: String?, by pins: (usual: String, duress: String)?, salt: [UInt8],
    cost: PasswordCost, in store: Store
  ) throws -> Replacement {
    _ = try isCall(current, in: store)
    guard let pins else { return Replacement(pins: nil) }
    guard lengths.contains(pins.usual.count), lengths.contains(pins.duress.count) else {
      throw Refusal("a PIN has 4 to 64 characters: choose another")
    }
    guard pins.usual != pins.duress else {
      throw Refusal("the two PINs are equal: choose different ones")
    }
    return Replacement(
      pins: try CheckInPins(usual: pins.usual, duress: pins.duress, salt: salt, cost: cost))
  }

  // MARK: Stored form

  /// The stored form: passes and memory in KiB, the salt, and for each PIN its proof and its masked
  /// meaning.
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(UInt32(cost.passes))
    writer.append(UInt32(cost.memoryBytes / 1024))
    writer.append(lengthPrefixed: salt)
    for record in records {
      writer.append(lengthPrefixed: record.proof)
      writer.append(record.meaning)
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    let passes = Int(try reader.integer(UInt32.self))
    let kibibytes = Int(try reader.integer(UInt32.self))
    guard let cost = PasswordCost(passes: passes, memoryBytes: kibibytes * 1024) else {
      throw .invalid("the cost of a PIN")
    }
    self.cost = cost
    salt = try reader.lengthPrefixed()
    var found: [Record] = []
    for _ in 0..<2 {
      let proof = try reader.lengthPrefixed()
      guard proof.count == Self.proofBytes else { throw .invalid("the proof of a PIN") }
      found.append(Record(proof: proof, meaning: try reader.integer(UInt8.self)))
    }
    records = found
    try reader.expectEnd()
  }
}
