internal import MusterCrypto
public import MusterModel

/// Reads a bundle's file, as much of it at a time as is given: what is whole is read whatever comes
/// after it, and what is not costs a count.
public struct BundleReader: Sendable {
  private let local: LocalDevice
  /// Nil until the header was read.
  private var form: BundleForm?
  /// Of the next piece.
  private var number: UInt64 = 0
  private var rest: ArraySlice<UInt8>
  private let given: Int
  /// Pieces before it that a position may say: more than any file has.
  private static let lastPosition: UInt64 = 1 << 48

  /// What comes next in the file.
  public enum Piece: Hashable, Sendable {
    case contents([Carried])
    /// It is not as it was written, or was written elsewhere in the file.
    case damaged
    /// Whole, and nothing that this version understands.
    case unreadable
    case end
  }

  /// Why nothing more can be read.
  public enum Fault: Error, Hashable, Sendable {
    case notABundle
    /// It is of a form that only later programs read.
    case newerVersion
    /// Whoever made it follows other rules.
    case otherRules(UpdateNeed)
    case damagedHeader
    case otherOperation
    /// Where the next piece begins cannot be told.
    case lost
  }

  /// - Parameters:
  ///   - bytes: those after what was consumed before.
  ///   - position: empty at the beginning of the file, else what `position` said there.
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

  /// How many of the bytes are done with.
  public var consumed: Int { given - rest.count }

  /// What to go on with, with the bytes after those that were consumed.
  public var position: [UInt8] {
    guard let form else { return [] }
    var writer = ByteWriter()
    writer.append(form.salt)
    writer.append(number)
    return writer.bytes
  }

  /// Nil where more bytes are wanted.
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
      let contents = try Carried.decode(plaintext, operation: local.operation)
      if contents == [.end] { return .end }
      return contents.isEmpty ? .unreadable : .contents(contents)
    } catch {
      return .unreadable
    }
  }

  /// Does nothing where more bytes are wanted.
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
      // All but the number and what follows it.
      throw start.starts(with: magic.dropLast(2)) ? .newerVersion : .notABundle
    }
    guard rest.count >= BundleForm.headerBytes else { return }
    let header = Array(rest.prefix(BundleForm.headerBytes))
    var reader = ByteReader(header[magic.count...])
    do {
      let rules = RulesVersion(raw: try reader.integer(UInt8.self))
      let (salt, mark) = (try reader.bytes16(), try reader.bytes16())
      let said = header.dropLast(reader.remaining)
      guard BundleForm.check(Array(said)) == Array(header.suffix(reader.remaining)) else {
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
