public import Foundation

/// The features of a GeoJSON file, one after another: of a FeatureCollection, of a Feature or bare
/// geometry, or of a sequence, one a line or each after a record separator (RFC 8142).
///
/// A feature that is no JSON costs itself only. The memory is that of the file and one feature.
public struct GeoJSONFeatures {
  /// A feature as it is in the file.
  public struct Element {
    /// The line at which it begins, from 1.
    public let line: Int
    /// The feature, or why it is not JSON.
    public let value: Result<JSON, GeoJSONFault>
  }

  private enum Source {
    case records(Records)
    case list(JSONReader, at: (offset: Int, line: Int))
    case single(JSON?)
  }

  private var source: Source

  /// Opens a file.
  ///
  /// - Parameter limit: the most bytes of the file.
  /// - Throws: if the file is too large, or as a whole is not JSON.
  public init(_ data: Data, atMost limit: Int = JSON.mostBytes) throws(GeoJSONFault) {
    guard data.count <= limit else { throw GeoJSONFault(.tooLarge(data.count)) }
    let bytes = try JSONReader.inUTF8([UInt8](data))
    let records = Records(bytes)
    if records.isSequence {
      source = .records(records)
      return
    }
    var reader = JSONReader(bytes)
    if let members = try reader.enter(list: "features"),
      members["type"]?.word ?? "FeatureCollection" == "FeatureCollection"
    {
      source = .list(reader, at: (0, 1))
    } else {
      source = .single(try JSON.read(bytes))
    }
  }

  /// Whether the file is one Feature or geometry.
  var isSingle: Bool {
    if case .single = source { true } else { false }
  }

  /// Returns the next feature; nil at the end.
  public mutating func next() -> Element? {
    switch source {
    case .records(var rest):
      guard let record = rest.next() else { return nil }
      source = .records(rest)
      do throws(GeoJSONFault) {
        return Element(line: record.line, value: .success(try JSON.read(Array(record.bytes))))
      } catch {
        return Element(line: record.line, value: .failure(error))
      }
    case .list(var reader, let before):
      let place = reader.line(after: before)
      let element = reader.element()
      source = .list(reader, at: place)
      return element.map { Element(line: place.line, value: $0) }
    case .single(let document):
      source = .single(nil)
      return document.map { Element(line: 1, value: .success($0)) }
    }
  }
}

/// The texts of a sequence: between separators, or else the lines; blank ones are skipped.
private struct Records {
  private static let separator: UInt8 = 0x1E
  private static let lineFeed: UInt8 = 0x0A

  private var rest: ArraySlice<UInt8>
  private let mark: UInt8
  private var line = 1

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
    mark = bytes.first == Self.separator ? Self.separator : Self.lineFeed
  }

  mutating func next() -> (bytes: ArraySlice<UInt8>, line: Int)? {
    while !rest.isEmpty {
      let end = rest.firstIndex(of: mark)
      let record = rest[..<(end ?? rest.endIndex)]
      let first = line
      rest = end.map { rest[($0 + 1)...] } ?? []
      line += mark == Self.lineFeed ? 1 : record.count { $0 == Self.lineFeed }
      if record.contains(where: { $0 > 0x20 }) { return (record, first) }
    }
    return nil
  }

  /// Whether there are separators, or one of the first two of several lines is an object.
  var isSequence: Bool {
    if mark == Self.separator { return true }
    var records = self
    let lines = [records.next(), records.next()].compactMap(\.self)
    return lines.count == 2
      && lines.contains { line in
        do {
          return try JSON.read(Array(line.bytes)).members?["type"] != nil
        } catch {
          return false
        }
      }
  }
}
