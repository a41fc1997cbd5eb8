/// A fix of an earlier position record that the fixes after it do not supersede: a later position
/// of the same device carries it, because nodes store only the newest record (decision 0044).
public struct EarlierFix: Hashable, Sendable {
  /// The order of the record that published it.
  public var order: RecordOrder
  /// The centre of the accuracy circle.
  public var position: Coordinate
  /// Accuracy radius in decimetres; nil if the source does not state it.
  public var accuracyDecimetres: UInt32?
  /// Whether it was old when it was received (`FixAge.wasOld`): it can show danger, and ends none.
  public let wasOld: Bool

  /// Creates a fix. In a list, the orders MUST ascend strictly.
  public init(
    order: RecordOrder, position: Coordinate, accuracyDecimetres: UInt32?, wasOld: Bool = false
  ) {
    self.order = order
    self.position = position
    self.accuracyDecimetres = accuracyDecimetres
    self.wasOld = wasOld
  }

  /// Creates one from the report of a position record.
  public init(_ report: PositionReport, order: RecordOrder) {
    self.init(
      order: order, position: report.fix.position,
      accuracyDecimetres: report.fix.accuracyDecimetres, wasOld: report.age.wasOld)
  }

  /// Whether every node accepts a list of earlier fixes in a record of an order.
  public static func isValid(_ fixes: [EarlierFix], before order: RecordOrder) -> Bool {
    let orders = fixes.map(\.order) + [order]
    return fixes.count <= Limits.earlierFixes && zip(orders, orders.dropFirst()).allSatisfy(<)
  }
}

// MARK: Stored form

extension EarlierFix {
  /// The encoded size: generation, incarnation, counter, latitude, longitude, accuracy.
  private static let encodedBytes = 44
  /// Added to the accuracy of a fix that was old.
  private static let oldMark: UInt64 = 1 << 40

  /// Returns the stored form of a list, which is local.
  public static func encoded(_ fixes: [EarlierFix]) -> [UInt8] {
    var writer = ByteWriter()
    append(fixes, to: &writer)
    return writer.bytes
  }

  /// Reads the stored form of a list.
  public static func decode(_ bytes: [UInt8]) throws(DecodingFault) -> [EarlierFix] {
    var reader = ByteReader(bytes)
    let fixes = try list(from: &reader)
    try reader.expectEnd()
    return fixes
  }

  /// Appends a list with its length.
  public static func append(_ fixes: [EarlierFix], to writer: inout ByteWriter) {
    writer.append(UInt32(fixes.count))
    for fix in fixes {
      writer.append(fix.order)
      let mark = fix.wasOld ? oldMark : 0
      writer.append(fix.position, accuracyDecimetres: fix.accuracyDecimetres, marked: mark)
    }
  }

  /// Reads a list that `append` wrote.
  public static func list(from reader: inout ByteReader) throws(DecodingFault) -> [EarlierFix] {
    var fixes: [EarlierFix] = []
    for _ in 0..<(try reader.count(ofAtLeast: encodedBytes)) {
      let order = try reader.recordOrder()
      let (position, accuracy, mark) = try reader.accuracyCircle(markedBy: oldMark)
      fixes.append(
        EarlierFix(
          order: order, position: position, accuracyDecimetres: accuracy, wasOld: mark))
    }
    return fixes
  }
}

extension ByteWriter {
  /// Appends latitude, longitude, and accuracy plus one, or 0.
  public mutating func append(_ centre: Coordinate, accuracyDecimetres: UInt32?) {
    append(centre, accuracyDecimetres: accuracyDecimetres, marked: 0)
  }

  fileprivate mutating func append(
    _ centre: Coordinate, accuracyDecimetres: UInt32?, marked mark: UInt64
  ) {
    append(centre.latitudeE7)
    append(centre.longitudeE7)
    append((accuracyDecimetres.map { UInt64($0) + 1 } ?? 0) | mark)
  }
}

extension ByteReader {
  /// Reads what `append` wrote.
  public mutating func accuracyCircle() throws(DecodingFault) -> (
    centre: Coordinate, accuracyDecimetres: UInt32?
  ) {
    let (centre, accuracy, _) = try accuracyCircle(markedBy: 0)
    return (centre, accuracy)
  }

  fileprivate mutating func accuracyCircle(
    markedBy mark: UInt64
  ) throws(DecodingFault) -> (centre: Coordinate, accuracyDecimetres: UInt32?, isMarked: Bool) {
    let centre = Coordinate(
      latitudeE7: Int64(try integer(Int32.self)), longitudeE7: Int64(try integer(Int32.self)))
    let number = try integer(UInt64.self)
    let accuracy = number & ~mark
    guard let centre, accuracy <= UInt64(UInt32.max) + 1 else { throw .invalid("position") }
    return (centre, accuracy == 0 ? nil : UInt32(accuracy - 1), number & mark != 0)
  }
}
