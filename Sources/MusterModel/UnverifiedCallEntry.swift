/// The newest message of an unverified call, as in the field `unverifiedCallContent`.
public struct UnverifiedCallEntry: Hashable, Sendable {
  /// The device that received it.
  public let device: DeviceID
  /// What the message states. The credential is not part of the entry: the row's id is derived from
  /// it.
  public let call: UnverifiedCall
  /// Messages of this call that were written, this one included: 1 for the first.
  public let messages: UInt32
  /// Further calls of other credentials that have no row of their own; 0 except in the row of calls
  /// beyond the bound.
  public let others: UInt32

  /// Creates an entry. Nothing is validated here: an entry out of range is rejected on write.
  public init(device: DeviceID, call: UnverifiedCall, messages: UInt32, others: UInt32 = 0) {
    self.device = device
    self.call = call
    self.messages = messages
    self.others = others
  }

  /// Whether all replicas accept it.
  public var isWithinLimits: Bool {
    (1...Limits.unverifiedMessages).contains(messages) && others <= Limits.unverifiedMessages
      && [call.name, call.address].allSatisfy { $0.isEmpty || TextRule.line.accepts($0) }
      && call.note.utf8.count <= Limits.unverifiedNoteBytes && TextRule.note.accepts(call.note)
  }
}

// MARK: Encoding

extension UnverifiedCallEntry {
  /// Device, cause, messages, others, 1 with a time or 0 and the time, 1 with a position or 0 and
  /// the position, then name, address and note.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(device)
    writer.append(call.cause.rawValue)
    writer.append(messages)
    writer.append(others)
    writer.append(UInt8(call.madeAt == nil ? 0 : 1))
    if let madeAt = call.madeAt { writer.append(madeAt.milliseconds) }
    writer.append(UInt8(call.position == nil ? 0 : 1))
    if let position = call.position {
      writer.append(position.latitudeE7)
      writer.append(position.longitudeE7)
    }
    writer.append(call.name)
    writer.append(call.address)
    writer.append(call.note)
    return writer.bytes
  }

  /// Reads what `encoded` returned; the credential is empty. Throws for an entry that is not within
  /// the limits.
  public init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    let device = try reader.identifier(DeviceID.self)
    guard let cause = UnverifiedCause(rawValue: try reader.integer(UInt8.self)) else {
      throw .invalid("cause of an unverified call")
    }
    let messages = try reader.integer(UInt32.self)
    let others = try reader.integer(UInt32.self)
    let madeAt =
      try reader.flag() ? Timestamp(milliseconds: try reader.integer(Int64.self)) : nil
    var position: Coordinate?
    if try reader.flag() {
      let latitude = Int64(try reader.integer(Int32.self))
      let longitude = Int64(try reader.integer(Int32.self))
      position = Coordinate(latitudeE7: latitude, longitudeE7: longitude)
      guard position != nil else { throw .invalid("position of an unverified call") }
    }
    let (name, address, note) = (try reader.text(), try reader.text(), try reader.text())
    try reader.expectEnd()
    self.init(
      device: device,
      call: UnverifiedCall(
        credential: "", name: name, address: address, note: note, position: position,
        madeAt: madeAt, cause: cause),
      messages: messages, others: others)
    guard isWithinLimits else { throw .invalid("unverified call out of range") }
  }

  /// Whether bytes are an entry that all replicas accept.
  static func accepts(_ bytes: [UInt8]) -> Bool {
    do throws(DecodingFault) {
      _ = try UnverifiedCallEntry(decoding: bytes)
      return true
    } catch {
      return false
    }
  }
}

// MARK: Salvage

extension UnverifiedCall {
  /// The same call with texts that all replicas accept: a character that texts do not allow becomes
  /// a space, and what is too long is cut. No part of a call is a reason to lose it.
  public var salvaged: UnverifiedCall {
    UnverifiedCall(
      credential: credential, name: TextRule.line.salvage(name, bytes: Limits.lineBytes),
      address: TextRule.line.salvage(address, bytes: Limits.lineBytes),
      note: TextRule.note.salvage(note, bytes: Limits.unverifiedNoteBytes), position: position,
      madeAt: madeAt, cause: cause)
  }
}

extension TextRule {
  /// Returns the text with a space for each character that is not allowed, of at most so many bytes
  /// of UTF-8; empty if nothing visible remains.
  fileprivate func salvage(_ text: String, bytes limit: Int) -> String {
    var salvaged = String.UnicodeScalarView()
    var length = 0
    for scalar in text.unicodeScalars {
      // A letter makes a blank character acceptable as a line.
      let isAllowed = accepts("x\(scalar)")
      let kept: Unicode.Scalar = isAllowed ? scalar : " "
      length += UTF8.width(kept)
      guard length <= limit else { break }
      salvaged.append(kept)
    }
    let result = String(salvaged)
    return TextRule.line.accepts(result) || (self != .line && accepts(result)) ? result : ""
  }
}

extension ByteReader {
  fileprivate mutating func flag() throws(DecodingFault) -> Bool {
    let flag = try integer(UInt8.self)
    guard flag <= 1 else { throw .invalid("flag") }
    return flag == 1
  }
}
