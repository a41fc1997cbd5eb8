/// A fix of an earlier position record that the fixes after it do not supersede: a later position
/// of the same device carries it, because nodes store only the newest record (decision 0044).
public struct EarlierFix: Hashable, Sendable {
  /// The order of the record that published it.
  public var order: RecordOrder
  /// The centre of the accuracy circle.
  public var position: Coordinate
  /// Accuracy radius in decimetres; nil if the source does not state it.
  public var accuracyDecimetres: UInt32?

  /// Creates a fix. In a list, the orders MUST ascend strictly.
  public init(order: RecordOrder, position: Coordinate, accuracyDecimetres: UInt32?) {
    self.order = order
    self.position = position
    self.accuracyDecimetres = accuracyDecimetres
  }

  /// Creates one from the fix of a position record.
  public init(_ fix: Fix, order: RecordOrder) {
    self.init(
      order: order, position: fix.position, accuracyDecimetres: fix.accuracyDecimetres)
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
      writer.append(fix.position, accuracyDecimetres: fix.accuracyDecimetres)
    }
  }

  /// Reads a list that `append` wrote.
  public static func list(from reader: inout ByteReader) throws(DecodingFault) -> [EarlierFix] {
    var fixes: [EarlierFix] = []
    for _ in 0..<(try reader.count(ofAtLeast: encodedBytes)) {
      let order = try reader.recordOrder()
      let (position, accuracy) = try reader.accuracyCircle()
      fixes.append(EarlierFix(order: order, position: position, accuracyDecimetres: accuracy))
    }
    return fixes
  }
}

extension ByteWriter {
  /// Appends latitude, longitude, and accuracy plus one, or 0.
  public mutating func append(_ centre: Coordinate, accuracyDecimetres: UInt32?) {
    append(centre.latitudeE7)
    append(centre.longitudeE7)
    append(accuracyDecimetres.map { UInt64($0) + 1 } ?? 0)
  }
}

extension ByteReader {
  /// Reads what `append` wrote.
  public mutating func accuracyCircle() throws(DecodingFault) -> (
    centre: Coordinate, accuracyDecimetres: UInt32?
  ) {
    let centre = Coordinate(
      latitudeE7: Int64(try integer(Int32.self)), longitudeE7: Int64(try integer(Int32.self)))
    let accuracy = try integer(UInt64.self)
    guard let centre, accuracy <= UInt64(UInt32.max) + 1 else { throw .invalid("position") }
    return (centre, accuracy == 0 ? nil : UInt32(accuracy - 1))
  }
}
