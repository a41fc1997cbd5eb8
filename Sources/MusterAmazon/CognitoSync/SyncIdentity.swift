public import MusterModel

/// The names that Cognito Sync gives to an operation, to a user and to what a user stores.
public enum SyncIdentity {
  /// Returns the identity pool of an operation.
  public static func pool(_ operation: OperationID) -> String { "muster:\(operation)" }

  /// Returns the identity of a user.
  public static func identity(_ user: UserID) -> String { "muster:\(user)" }

  /// In characters.
  private static let longest = 55
  private static let longestDevice = 256

  /// Checks the name of a pool or an identity: `[\w-]+:[0-9a-f-]+`.
  static func checked(_ text: String, _ field: String) throws(ServiceFault) -> String {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (1...longest).contains(text.utf8.count), parts.count == 2,
      parts.allSatisfy({ !$0.isEmpty }),
      parts[0].allSatisfy({ isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") || isDash($0) }),
      parts[1].allSatisfy({ isDigit($0) || isDash($0) || (UInt8(ascii: "a")...102).contains($0) })
    else {
      throw .invalid(field, "must be REGION:ID, of at most \(longest) characters")
    }
    return text
  }

  /// Checks the name of a data set.
  static func dataset(_ text: String) throws(ServiceFault) -> String {
    guard RecordName.accepts(dataset: text) else {
      throw .invalid(
        "DatasetName", "must be 1 to 128 ASCII letters, digits, '_', '.', ':' and '-'")
    }
    return text
  }

  static func device(_ text: String) throws(ServiceFault) -> String {
    guard (1...longestDevice).contains(text.unicodeScalars.count) else {
      throw .invalid("DeviceId", "must have 1 to \(longestDevice) characters")
    }
    return text
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isDash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") }
}
