internal import Foundation
internal import MusterInterchange

/// A PMTiles file from an untrusted source, opened read-only.
///
///     header · root directory ─▶ leaf directory ─▶ tile
///     read at the start          read on demand, the last few are kept
///
/// It may be damaged or malicious. Every length is checked against a limit before anything is
/// read, so that the cost of a tile is bounded.
///
/// Not thread-safe: the owner serializes access.
final class PMTilesFile: TileFile {
  private static let directoryBytes = 1 << 20
  private static let metadataBytes = 1 << 20
  private static let inflatedBytes = 8 << 20
  /// Directories below each other; writers use two.
  private static let mostDepth = 4
  /// The most entries of all leaf directories that are kept, 24 bytes each.
  private static let keptEntries = 500_000

  let about: BaseMap.About
  private let file: FileHandle
  private let header: PMTilesHeader
  private let root: PMTilesDirectory
  /// The least recently used first.
  private var leaves: [(offset: UInt64, directory: PMTilesDirectory)] = []

  init(opening path: String) throws {
    file = try FileHandle(forReadingFrom: URL(filePath: path))
    let size = try file.seekToEnd()
    try file.seek(toOffset: 0)
    header = try PMTilesHeader(
      Array(try file.read(upToCount: PMTilesHeader.bytes) ?? Data()), fileBytes: size)
    root = try PMTilesDirectory(
      try Self.unpacked(header.root, of: file, header, limit: Self.directoryBytes))
    about = try Self.about(header, of: file)
  }

  deinit {
    do { try file.close() } catch {
      // It was open for reading only: nothing is lost.
    }
  }

  func tile(zoom: Int, x: Int, y: Int) throws -> [UInt8]? {
    let tile = PMTilesDirectory.tile(zoom: zoom, x: x, y: y)
    var directory = root
    for _ in 0..<Self.mostDepth {
      guard let entry = directory.entry(of: tile) else { return nil }
      guard entry.run == 0 else {
        return try Self.read(
          entry, in: header.tiles, of: file, limit: BaseMap.tileBytes, "the tile")
      }
      directory = try leaf(entry)
    }
    throw BaseMap.Fault("its directories are nested too deeply: it is damaged")
  }

  private func leaf(_ entry: PMTilesDirectory.Entry) throws -> PMTilesDirectory {
    if let index = leaves.firstIndex(where: { $0.offset == entry.offset }) {
      let kept = leaves.remove(at: index)
      leaves.append(kept)
      return kept.directory
    }
    let bytes = try Self.read(
      entry, in: header.leaves, of: file, limit: Self.directoryBytes, "a directory")
    let directory = try PMTilesDirectory(try Self.unpacked(bytes, header))
    leaves.append((entry.offset, directory))
    var count = leaves.reduce(0) { $0 + $1.directory.entries.count }
    while count > Self.keptEntries, leaves.count > 1 {
      count -= leaves.removeFirst().directory.entries.count
    }
    return directory
  }

  // MARK: Reading

  private static func read(
    _ entry: PMTilesDirectory.Entry, in section: PMTilesHeader.Section, of file: FileHandle,
    limit: Int, _ what: String
  ) throws -> [UInt8] {
    guard entry.length <= limit else {
      throw BaseMap.Fault("\(what) is larger than \(limit) bytes")
    }
    let (end, isOver) = entry.offset.addingReportingOverflow(UInt64(entry.length))
    guard !isOver, end <= section.length else { throw PMTilesDirectory.damaged }
    return try read(Int(entry.length), at: section.offset + entry.offset, of: file)
  }

  private static func read(
    _ count: Int, at offset: UInt64, of file: FileHandle
  ) throws -> [UInt8] {
    try file.seek(toOffset: offset)
    let bytes = Array(try file.read(upToCount: count) ?? Data())
    guard bytes.count == count else { throw BaseMap.Fault("it is cut off: copy the file again") }
    return bytes
  }

  private static func unpacked(
    _ section: PMTilesHeader.Section, of file: FileHandle, _ header: PMTilesHeader, limit: Int
  ) throws -> [UInt8] {
    guard section.length <= limit else { throw PMTilesDirectory.damaged }
    let bytes = try read(Int(section.length), at: section.offset, of: file)
    return try unpacked(bytes, header)
  }

  private static func unpacked(
    _ bytes: [UInt8], _ header: PMTilesHeader
  ) throws(BaseMap.Fault) -> [UInt8] {
    guard header.isGzipped, !bytes.isEmpty else { return bytes }
    do throws(Gzip.Fault) {
      return try Gzip.inflated(bytes, limit: inflatedBytes)
    } catch {
      throw BaseMap.Fault("a directory or its metadata cannot be read: \(error)")
    }
  }

  // MARK: Metadata

  private static func about(
    _ header: PMTilesHeader, of file: FileHandle
  ) throws -> BaseMap.About {
    var about = BaseMap.About()
    about.format = header.format
    about.zooms = header.zooms
    about.bounds = header.bounds
    let bytes = try unpacked(header.metadata, of: file, header, limit: metadataBytes)
    guard !bytes.isEmpty else { return about }
    let metadata: JSON
    do {
      metadata = try JSON.read(bytes)
    } catch {
      throw BaseMap.Fault("its metadata is damaged: \(error)")
    }
    func text(_ name: String) -> String {
      MapMetadata.shortened(metadata.members?[name]?.word ?? "")
    }
    about.name = text("name")
    about.attribution = text("attribution")
    about.layers = MapMetadata.layers(in: metadata)
    return about
  }
}
