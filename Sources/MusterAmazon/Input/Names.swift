internal import MusterModel

/// The rules of the service for names and ids.
enum Names {
  /// In characters.
  static let longest = 100

  /// Whether a text may name a collection or a tracker: ASCII letters, digits, `-`, `.` and `_`.
  static func isResourceName(_ text: String) -> Bool {
    (1...longest).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
          UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Whether a text may be the id of a geofence or a device: letters and digits of any script, `-`,
  /// `.` and `_`.
  static func isID(_ text: String) -> Bool {
    (1...longest).contains(text.unicodeScalars.count)
      && text.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
          .decimalNumber, .letterNumber, .otherNumber:
          true
        default: scalar == "-" || scalar == "." || scalar == "_"
        }
      }
  }

  /// Checks the name of a collection or a tracker.
  static func resource(_ text: String, _ field: String) throws(ServiceFault) -> String {
    guard isResourceName(text) else {
      throw .invalid(field, "must be 1 to \(longest) ASCII letters, digits, '-', '.' and '_'")
    }
    return text
  }

  /// Checks the id of a geofence or a device.
  static func id(_ text: String, _ field: String) throws(ServiceFault) -> String {
    guard isID(text) else {
      throw .invalid(field, "must be 1 to \(longest) letters, digits, '-', '.' and '_'")
    }
    return text
  }
}

/// The name of a collection or a tracker as an ARN.
///
/// Programs may have ARNs of an account and a region: only the kind and the name count.
struct ResourceARN: Hashable {
  enum Kind: String {
    case collection = "geofence-collection"
    case tracker
  }

  static let longest = 1600

  let kind: Kind
  let name: String

  /// Parses `arn:PARTITION:geo:REGION:ACCOUNT:KIND/NAME`.
  init(_ text: String, _ field: String) throws(ServiceFault) {
    let parts = text.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
    let resource =
      parts.count == 6 ? parts[5].split(separator: "/", omittingEmptySubsequences: false) : []
    guard text.utf8.count <= Self.longest, parts.count == 6, parts[0] == "arn",
      parts[2] == AmazonService.location.signingName, resource.count == 2,
      let kind = Kind(rawValue: String(resource[0])), Names.isResourceName(String(resource[1]))
    else {
      throw .invalid(
        field, "must be arn:aws:geo:REGION:ACCOUNT:geofence-collection/NAME or …:tracker/NAME")
    }
    self.kind = kind
    name = String(resource[1])
  }

  init(_ kind: Kind, _ name: String) {
    self.kind = kind
    self.name = name
  }

  /// The ARN, with the operation as account.
  func text(in operation: OperationID) -> String {
    "arn:aws:geo:muster:\(operation):\(kind.rawValue)/\(name)"
  }
}
