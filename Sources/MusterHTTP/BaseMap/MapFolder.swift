internal import Foundation
internal import MusterLocation
public import MusterModel

/// The folder of a home with the maps that were added: `HOME/maps`.
///
/// Maps are copies: a memory stick can be removed. A file appears under its name only when it is
/// complete and was read without a fault; until then it ends in `.part`.
public struct MapFolder: Sendable {
  /// The most files that are used, in the order of their names.
  static let mostFiles = 64
  private static let pieceBytes = 4 << 20
  private static let nameCharacters = 80
  /// A name of a file has at most 255 bytes, of which a part and its journal need some.
  private static let nameBytes = 200
  /// The age in seconds of a part that no copying process writes to any more.
  private static let staleSeconds = 3600.0
  private static let partSuffix = ".part"

  /// The maps of all users of this laptop, which an administrator adds and removes: `install.sh`
  /// of a memory stick that carries a map copies it there.
  public static let shared = MapFolder(at: "/usr/local/share/muster/maps")

  /// The path of the folder.
  let path: String

  /// - Parameter home: the path of the home, which exists.
  public init(in home: String) { path = home + "/maps" }

  /// - Parameter path: the path of the folder.
  init(at path: String) { self.path = path }

  /// A file of the folder.
  struct File: Hashable {
    let name: String
    let bytes: Int64
    let changed: Date

    /// - Parameter attributes: those of the file; none if it was removed.
    fileprivate init(_ name: String, _ attributes: [FileAttributeKey: Any]) {
      self.name = name
      bytes = (attributes[.size] as? NSNumber)?.int64Value ?? 0
      changed = attributes[.modificationDate] as? Date ?? .distantPast
    }

    /// The file at a path now.
    init(_ name: String, at path: String) { self.init(name, MapFolder.attributes(of: path)) }
  }

  /// Returns the files, sorted by name; none if there is no folder.
  func files() -> [File] {
    let files = names.sorted().compactMap { name -> File? in
      guard Self.name(for: name) == name, !Self.isReserved(name) else { return nil }
      let attributes = Self.attributes(of: path(of: name))
      guard attributes[.type] as? FileAttributeType == .typeRegular else { return nil }
      return File(name, attributes)
    }
    return Array(files.prefix(Self.mostFiles))
  }

  /// All names in the folder; none if there is no folder.
  private var names: [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      return []
    }
  }

  /// None for a file that was removed in the meantime.
  fileprivate static func attributes(of path: String) -> [FileAttributeKey: Any] {
    do {
      return try FileManager.default.attributesOfItem(atPath: path)
    } catch {
      return [:]
    }
  }

  func path(of name: String) -> String { path + "/" + name }

  /// Whether a name is one of a part, or of SQLite's files beside a database.
  private static func isReserved(_ name: String) -> Bool {
    ([partSuffix] + SQLiteJournal.suffixes).contains(where: name.hasSuffix)
  }

  /// Returns the name of a file in the folder: letters, digits, dots, hyphens and underscores; nil
  /// if nothing remains.
  static func name(for file: String) -> String? {
    let allowed = file.map { letter in
      letter.isLetter || letter.isNumber || "._-".contains(letter) ? letter : "-"
    }
    var name = String(allowed).suffix(nameCharacters)
    while name.utf8.count > nameBytes { name.removeFirst() }
    name = name.drop { $0 == "." || $0 == "-" }
    return name.isEmpty ? nil : String(name)
  }

  /// Copies a file into the folder and returns its name, and what was used of an overlay. Changes
  /// of an MBTiles file that SQLite keeps in a file beside it are part of the copy.
  ///
  /// - Parameters:
  ///   - source: the path of the file.
  ///   - isStrict: whether an overlay is refused if a part of it cannot be used.
  ///   - onProgress: receives the copied bytes, and those of the file.
  /// - Throws: a fault with its remedy, if the file is no map, if there is one of this name, or if
  ///   there is not enough disk space.
  public func add(
    _ source: String, isStrict: Bool = false,
    onProgress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(BaseMap.Fault) -> (name: String, outcome: ImportOutcome?) {
    let journal = SQLiteJournal.suffix(beside: source).map { source + $0 }
    // A large file is checked before its copy takes minutes; of a map of tiles, little is read. The
    // copy is checked when it is complete.
    if journal == nil, File("", at: source).bytes > OverlayShapes.maximumBytes {
      try MapContent.read(source).check(isStrict: isStrict)
    }
    do {
      let file = try FileHandle(forReadingFrom: URL(filePath: source))
      let total = Int64(try file.seekToEnd())
      try file.seek(toOffset: 0)
      let more = journal.map { File("", at: $0).bytes } ?? 0
      var incoming = try begin(URL(filePath: source).lastPathComponent, bytes: total + more)
      do {
        while let piece = try file.read(upToCount: Self.pieceBytes), !piece.isEmpty {
          try incoming.append(piece)
          onProgress(incoming.bytes, total)
        }
        let content = try incoming.finish(with: journal, isStrict: isStrict)
        return (incoming.name, content.outcome)
      } catch {
        incoming.discard()
        throw error
      }
    } catch let fault as BaseMap.Fault {
      throw fault
    } catch {
      throw BaseMap.Fault("\(source) cannot be copied: \(error.localizedDescription)")
    }
  }

  /// Removes a map. Throws a fault if there is none of this name, or it cannot be removed.
  public func remove(_ name: String) throws(BaseMap.Fault) {
    // Its name may be another encoding of the same letters.
    guard let file = files().first(where: { $0.name == name }) else {
      let names = files().map(\.name)
      throw BaseMap.Fault(
        names.isEmpty
          ? "there are no maps: add one with `muster map add FILE`"
          : "there is no map \(name): use one of \(names.joined(separator: ", "))")
    }
    do {
      try FileManager.default.removeItem(atPath: path(of: file.name))
    } catch {
      throw BaseMap.Fault("\(name) cannot be removed: \(error.localizedDescription)")
    }
  }

  // MARK: Adding

  /// Begins to receive a file.
  ///
  /// - Parameters:
  ///   - file: the name of the file at its source.
  ///   - bytes: the length of the file; nil if unknown.
  func begin(_ file: String, bytes: Int64?) throws(BaseMap.Fault) -> IncomingMap {
    guard let name = Self.name(for: file) else {
      throw BaseMap.Fault("the file needs a name with letters or digits, such as valley.pmtiles")
    }
    guard !Self.isReserved(name) else {
      throw BaseMap.Fault(
        "a name that ends in .part, -wal, -shm or -journal is that of a temporary file: rename it")
    }
    guard files().count < Self.mostFiles else {
      throw BaseMap.Fault("there are \(Self.mostFiles) maps already: remove one")
    }
    guard !FileManager.default.fileExists(atPath: path(of: name)) else {
      throw BaseMap.Fault("there is already a map \(name): remove it first, or rename the file")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw BaseMap.Fault("cannot create \(path): \(error.localizedDescription)")
    }
    removeStaleParts()
    if let bytes { try checkSpace(for: bytes) }
    let part = path(of: ".\(name).\(UUID().uuidString.prefix(8))\(Self.partSuffix)")
    guard
      FileManager.default.createFile(
        atPath: part, contents: nil, attributes: [.posixPermissions: 0o600]),
      let handle = FileHandle(forWritingAtPath: part)
    else { throw BaseMap.Fault("cannot write to \(path)") }
    return IncomingMap(name: name, folder: self, part: part, file: handle)
  }

  /// The database must not run out of space because of a map.
  func checkSpace(for bytes: Int64) throws(BaseMap.Fault) {
    let free: Int64
    do {
      let attributes = try FileManager.default.attributesOfFileSystem(forPath: path)
      free = (attributes[.systemFreeSize] as? NSNumber)?.int64Value ?? .max
    } catch {
      throw BaseMap.Fault("the free space of \(path) is unknown: \(error.localizedDescription)")
    }
    let usable = max(0, free - Int64(Limits.leastFreeBytes))
    guard bytes <= usable else {
      throw BaseMap.Fault(
        "the disk has room for \(usable >> 20) MiB more, but the map has \(bytes >> 20) MiB: "
          + "free some space")
    }
  }

  /// Removes what a process that was killed left.
  private func removeStaleParts() {
    for name in names where name.hasPrefix(".") && Self.isReserved(name) {
      guard let changed = Self.attributes(of: path(of: name))[.modificationDate] as? Date,
        -changed.timeIntervalSinceNow > Self.staleSeconds
      else { continue }
      do {
        try FileManager.default.removeItem(atPath: path(of: name))
      } catch {
        // It stays until the next map is added.
      }
    }
  }
}

/// A map that is being received. MUST be finished or discarded.
struct IncomingMap {
  /// Bytes between two checks of the disk space, for a file of unknown length.
  private static let checkedBytes: Int64 = 64 << 20

  let name: String
  private(set) var bytes: Int64 = 0
  private let folder: MapFolder
  private let part: String
  private let file: FileHandle

  fileprivate init(name: String, folder: MapFolder, part: String, file: FileHandle) {
    (self.name, self.folder, self.part, self.file) = (name, folder, part, file)
  }

  mutating func append(_ piece: Data) throws(BaseMap.Fault) {
    let (before, count) = (bytes / Self.checkedBytes, Int64(piece.count))
    bytes += count
    if bytes / Self.checkedBytes > before { try folder.checkSpace(for: count) }
    do {
      try file.write(contentsOf: piece)
    } catch {
      throw BaseMap.Fault("the map cannot be stored: \(error.localizedDescription)")
    }
  }

  /// Stores the file durably under its name, if it is a map, and returns what it contains.
  ///
  /// - Parameters:
  ///   - journal: the path of what SQLite keeps beside the source, if anything.
  ///   - isStrict: whether an overlay is refused if a part of it cannot be used.
  @discardableResult
  func finish(
    with journal: String? = nil, isStrict: Bool = false
  ) throws(BaseMap.Fault) -> MapContent {
    do {
      try file.synchronize()
      try file.close()
      if let journal { try SQLiteJournal.complete(part, by: journal) }
    } catch let fault as BaseMap.Fault {
      throw fault
    } catch {
      throw BaseMap.Fault("the map cannot be stored: \(error.localizedDescription)")
    }
    let content: MapContent
    do throws(BaseMap.Fault) {
      content = try MapContent.read(part)
      try content.check(isStrict: isStrict)
    } catch {
      throw BaseMap.Fault(error.description.replacing(part, with: name))
    }
    do {
      // Fails if the name was taken in the meantime.
      try FileManager.default.moveItem(atPath: part, toPath: folder.path(of: name))
    } catch {
      throw BaseMap.Fault("there is already a map \(name): remove it first, or rename the file")
    }
    return content
  }

  func discard() {
    do {
      try FileManager.default.removeItem(atPath: part)
    } catch {
      // It is not there, or is removed as a stale part later.
    }
  }
}
