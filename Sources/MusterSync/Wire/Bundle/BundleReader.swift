internal import MusterCrypto
public import MusterModel

/// An incremental parser of a bundle file. It reads each complete piece, whatever follows; a
/// damaged piece is reported and skipped.
public struct BundleReader: Sendable {
  private let local: LocalDevice
  /// Nil until the header has been read.
  private var form: BundleForm?
  /// The number of the next piece.
  private var number: UInt64 = 0
  private var rest: ArraySlice<UInt8>
  private let given: Int
  /// The greatest piece number that a position may contain: no file has as many pieces.
  private static let lastPosition: UInt64 = 1 << 48

  /// The next piece of the file.
  public enum Piece: Hashable, Sendable {
    case contents([BundleItem])
    /// It was changed, or moved from another place in the file.
    case damaged
    /// It is intact, but this version cannot parse its content.
    case unreadable
    case end
  }

  /// The reason why the rest of the file cannot be read.
  public enum Fault: Error, Hashable, Sendable {
    case notABundle
    /// The file has a format that needs a newer program.
    case newerVersion
    /// The file was created under another rules version.
    case otherRules(UpdateNeed)
    case damagedHeader
    case otherOperation
    /// A length is invalid, so the start of the next piece is unknown.
    case lost
  }

  /// Returns nil if the position is malformed.
  ///
  /// - Parameters:
  ///   - bytes: the bytes that follow those consumed before.
  ///   - position: empty at the start of the file, else the value of `position` at that point.
  public init?(_ bytes: [UInt8], at position: [UInt8], of local: LocalDevice) {
    self.local = local
    rest = bytes[...]
    given = bytes.count
    guard !position.isEmpty else { return }
    var reader = ByteReader(position)
    do {
      form = BundleForm(of: local, salt: try reader.bytes16())
      number = try reader.integer(UInt64.self)
      try reader.expectEnd()
    } catch {
      return nil
    }
    guard number <= Self.lastPosition else { return nil }
  }

  /// The number of the given bytes that have been parsed.
  public var consumed: Int { given - rest.count }

  /// The state to resume with, together with the bytes after the consumed ones.
  public var position: [UInt8] {
    guard let form else { return [] }
    var writer = ByteWriter()
    writer.append(form.salt)
    writer.append(number)
    return writer.bytes
  }

  /// Returns the next piece, or nil if more bytes are needed.
  public mutating func next() throws(Fault) -> Piece? {
    if form == nil { try readHeader() }
    guard let form, rest.count >= 4 else { return nil }
    let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard (SealingKey.bodyOverheadBytes + 1...BundleForm.largestPieceBytes).contains(length) else {
      throw .lost
    }
    guard rest.count - 4 >= length else { return nil }
    let body = rest.dropFirst(4).prefix(length)
    rest = rest.dropFirst(4 + length)
    defer { number += 1 }
    guard let plaintext = form.opened(body, number: number) else { return .damaged }
    do {
      let contents = try BundleItem.decode(plaintext, operation: local.operation)
      if contents == [.end] { return .end }
      return contents.isEmpty ? .unreadable : .contents(contents)
    } catch {
      return .unreadable
    }
  }

  /// Parses the header. Does nothing if more bytes are needed.
  private mutating func readHeader() throws(Fault) {
    let magic = BundleForm.magic
    let start = Array(rest.prefix(magic.count))
    if start == BundleForm.unversionedMagic,
      let need = UpdateNeed(own: local.rulesVersion, peer: .unstated)
    {
      throw .otherRules(need)
    }
    guard magic.starts(with: start) else {
      if BundleForm.unversionedMagic.starts(with: start) { return }
      // Compares all but the format number and the line feed.
      throw start.starts(with: magic.dropLast(2)) ? .newerVersion : .notABundle
    }
    guard rest.count >= BundleForm.headerBytes else { return }
    let header = Array(rest.prefix(BundleForm.headerBytes))
    var reader = ByteReader(header[magic.count...])
    do {
      let rules = RulesVersion(raw: try reader.integer(UInt8.self))
      let (salt, mark) = (try reader.bytes16(), try reader.bytes16())
      let checked = header.dropLast(reader.remaining)
      guard BundleForm.check(Array(checked)) == Array(header.suffix(reader.remaining)) else {
        throw Fault.damagedHeader
      }
      guard mark == BundleForm.mark(of: local.operation, salt: salt) else {
        throw Fault.otherOperation
      }
      guard let rules else { throw Fault.damagedHeader }
      if let need = UpdateNeed(own: local.rulesVersion, peer: rules) {
        throw Fault.otherRules(need)
      }
      form = BundleForm(of: local, salt: salt)
      rest = rest.dropFirst(BundleForm.headerBytes)
    } catch let fault as Fault {
      throw fault
    } catch {
      throw .damagedHeader
    }
  }
}
