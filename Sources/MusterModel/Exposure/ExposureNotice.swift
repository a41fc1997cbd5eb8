/// What a person was exposed to, or exposes others to.
public enum ExposureKind: UInt8, Codable, Sendable, NamedCase, Hashable {
  case infection = 1
  case contamination = 2
  case radiation = 3
}

/// The key of one day, from which the identifiers of one device on that day follow.
public struct ExposureKey: Hashable, Sendable {
  /// The first interval of the day: a multiple of 144.
  public let day: UInt32
  /// The secret, until it is published.
  public let key: Bytes16

  /// Names a key. Nothing is validated here.
  public init(day: UInt32, key: Bytes16) {
    self.day = day
    self.key = key
  }

  /// The intervals of ten minutes of one day.
  static let intervalsPerDay: UInt32 = 144
}

/// What a person reports to command, and what command publishes without the person's name.
///
/// The id is a hash of a secret of the person's device, which alone withdraws it. The id also
/// makes two publications of one report one notice.
public struct ExposureNotice: Hashable, Sendable {
  /// The same in the report and in the notice.
  public let id: ExposureID
  /// What people were exposed to.
  public let kind: ExposureKind
  /// What to do, in one line; empty for none.
  public let text: String
  /// By day, oldest first, 1 to `Limits.exposureDays`.
  public let keys: [ExposureKey]

  /// Creates a notice. Nothing is validated here: one with a `fault` is rejected on write.
  public init(id: ExposureID, kind: ExposureKind, text: String, keys: [ExposureKey]) {
    self.id = id
    self.kind = kind
    self.text = text
    self.keys = keys
  }

  /// Returns why replicas reject it, for the user who entered it; nil if it is allowed.
  public var fault: String? {
    if let fault = Self.fault(text: text) { return fault }
    guard let first = keys.first, let last = keys.last, keys.count <= Limits.exposureDays,
      keys.allSatisfy({ $0.day % ExposureKey.intervalsPerDay == 0 }),
      zip(keys, keys.dropFirst()).allSatisfy({ $0.day < $1.day }),
      last.day - first.day < UInt32(Limits.exposureDays) * ExposureKey.intervalsPerDay
    else { return "a notice has the keys of 1 to \(Limits.exposureDays) days" }
    return nil
  }

  /// Returns why a text is rejected; nil if it is allowed.
  public static func fault(text: String) -> String? {
    if text.isEmpty { return nil }
    if let fault = TextRule.line.fault(in: text) { return "the text \(fault)" }
    let (length, most) = (text.utf8.count, Limits.exposureTextBytes)
    return length > most ? "the text is \(length) bytes long; at most \(most) are allowed" : nil
  }

  /// Returns the notice with another text and a part of the keys.
  public func changed(text: String, keys: [ExposureKey]) -> ExposureNotice {
    ExposureNotice(id: id, kind: kind, text: text, keys: keys)
  }
}

// MARK: Encoding

extension ExposureNotice {
  /// Id, kind, text, number of keys (1), then for each its day (4) and the key (16).
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    append(to: &writer)
    return writer.bytes
  }

  func append(to writer: inout ByteWriter) {
    writer.append(id)
    writer.append(kind.rawValue)
    writer.append(text)
    writer.append(UInt8(clamping: keys.count))
    for key in keys {
      writer.append(key.day)
      writer.append(key.key)
    }
  }

  /// Reads what `encoded` returned. Throws for a notice with a `fault`.
  public init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    try self.init(from: &reader)
    try reader.expectEnd()
  }

  init(from reader: inout ByteReader) throws(DecodingFault) {
    let id = try reader.identifier(ExposureID.self)
    guard let kind = ExposureKind(rawValue: try reader.integer(UInt8.self)) else {
      throw .invalid("exposure kind")
    }
    let text = try reader.text()
    var keys: [ExposureKey] = []
    for _ in 0..<(try reader.integer(UInt8.self)) {
      keys.append(
        ExposureKey(day: try reader.integer(UInt32.self), key: try reader.bytes16()))
    }
    self.init(id: id, kind: kind, text: text, keys: keys)
    guard fault == nil else { throw .invalid("exposure notice") }
  }

  /// Whether bytes are a notice that all replicas accept.
  static func accepts(_ bytes: [UInt8]) -> Bool {
    do throws(DecodingFault) {
      _ = try ExposureNotice(decoding: bytes)
      return true
    } catch {
      return false
    }
  }
}

// MARK: Display

/// A notice that command published, as known to this node.
public struct PublishedNotice: Hashable, Sendable {
  /// The notice.
  public let notice: ExposureNotice
  /// When command published it, by command's clock: a label.
  public let publishedAt: Timestamp

  /// Creates a published notice.
  public init(_ notice: ExposureNotice, publishedAt: Timestamp) {
    self.notice = notice
    self.publishedAt = publishedAt
  }
}
