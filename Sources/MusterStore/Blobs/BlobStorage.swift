internal import Foundation
public import MusterModel

/// Where the ciphertext of blobs is kept: one file for each, outside the database.
///
/// A file consists of slots, one for each unit: the path that proves the unit, with room for the
/// longest path of the blob, then the unit's leaves. So a unit can be sent on with its proof while
/// others are missing.
public protocol BlobStorage: Sendable {
  /// Writes units in place. On return they are on disk; if it throws, any part of them may be.
  func write(_ units: [BlobUnit]) throws(StoreError)
  /// Returns a unit, unverified; nil if the file is missing or too short.
  func unit(_ number: Int, of blob: BlobID, length: Int) throws(StoreError) -> BlobUnit?
  /// Deletes the file of a blob, if there is one.
  func delete(_ blob: BlobID) throws(StoreError)
  /// Returns the blobs with a file.
  func stored() throws(StoreError) -> Set<BlobID>
}

/// The place of a unit in its file.
struct BlobSlot {
  let shape: BlobShape
  let number: Int

  init(_ number: Int, length: Int) {
    shape = BlobShape(length: length)
    self.number = number
  }

  private var pathBytes: Int { shape.mostPathCount * 32 }
  /// Where the slot begins in the file.
  var offset: Int { number * (pathBytes + BlobShape.unitBytes) }
  /// The bytes of the slot.
  var count: Int { pathBytes + shape.bytes(of: number).count }

  func encode(_ unit: BlobUnit) -> [UInt8] {
    var bytes = unit.path.flatMap(\.bytes)
    bytes += [UInt8](repeating: 0, count: pathBytes - bytes.count)
    return bytes + unit.bytes
  }

  func decode(_ bytes: [UInt8], of blob: BlobID) -> BlobUnit? {
    guard bytes.count == count else { return nil }
    let path = (0..<shape.pathCount(of: number)).compactMap {
      Bytes32(bytes[32 * $0..<32 * ($0 + 1)])
    }
    return BlobUnit(
      blob: blob, length: shape.length, number: number, path: path,
      bytes: Array(bytes[pathBytes...]))
  }
}

/// Files in a folder of the home, readable by its owner only.
struct BlobFolder: BlobStorage {
  private let folder: URL

  init(_ folder: URL) { self.folder = folder }

  /// The names are addresses, so nothing that a peer sends can name a file elsewhere.
  private func file(of blob: BlobID) -> URL {
    let name = "\(blob)"
    return folder.appendingPathComponent(String(name.prefix(2))).appendingPathComponent(name)
  }

  func write(_ units: [BlobUnit]) throws(StoreError) {
    let files = Dictionary(grouping: units, by: \.blob).sorted { $0.key < $1.key }
    for (blob, units) in files {
      try attempt("write a photo") { try write(units, to: file(of: blob)) }
    }
  }

  private func write(_ units: [BlobUnit], to file: URL) throws {
    let files = FileManager.default
    let isNew = !files.fileExists(atPath: file.path)
    if isNew {
      for parent in [folder, file.deletingLastPathComponent()] {
        try files.createDirectory(
          at: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      }
      guard
        files.createFile(
          atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
      else { throw StoreError.io("cannot make the file \(file.path)") }
    }
    let handle = try FileHandle(forUpdating: file)
    for unit in units {
      let slot = BlobSlot(unit.number, length: unit.length)
      try handle.seek(toOffset: UInt64(slot.offset))
      try handle.write(contentsOf: Data(slot.encode(unit)))
    }
    try handle.synchronize()
    try handle.close()
    guard isNew else { return }
    // The names of a new file and of its folder must survive a power cut too.
    for parent in [file.deletingLastPathComponent(), folder, folder.deletingLastPathComponent()] {
      let handle = try FileHandle(forReadingFrom: parent)
      try handle.synchronize()
      try handle.close()
    }
  }

  func unit(_ number: Int, of blob: BlobID, length: Int) throws(StoreError) -> BlobUnit? {
    let file = file(of: blob)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    let slot = BlobSlot(number, length: length)
    return try attempt("read a photo") {
      let handle = try FileHandle(forReadingFrom: file)
      try handle.seek(toOffset: UInt64(slot.offset))
      let bytes = try handle.read(upToCount: slot.count) ?? Data()
      try handle.close()
      return slot.decode([UInt8](bytes), of: blob)
    }
  }

  func delete(_ blob: BlobID) throws(StoreError) {
    let file = file(of: blob)
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    try attempt("delete a photo") { try FileManager.default.removeItem(at: file) }
  }

  func stored() throws(StoreError) -> Set<BlobID> {
    let files = FileManager.default
    guard files.fileExists(atPath: folder.path) else { return [] }
    return try attempt("list the photos") {
      var found: Set<BlobID> = []
      for parent in try files.contentsOfDirectory(atPath: folder.path) {
        let path = folder.appendingPathComponent(parent).path
        for name in try files.contentsOfDirectory(atPath: path) {
          if let blob = BlobID(hex: name) { found.insert(blob) }
        }
      }
      return found
    }
  }

  private func attempt<T>(_ what: String, _ body: () throws -> T) throws(StoreError) -> T {
    do {
      return try body()
    } catch let error as StoreError {
      throw error
    } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
      throw .diskFull
    } catch {
      throw .io("cannot \(what) in \(folder.path): \(error.localizedDescription)")
    }
  }
}

/// Blobs in memory, for tests and simulations. It outlives the database, as files do.
///
/// `@unchecked Sendable`: each test and each simulation uses it on one thread.
public final class BlobMemory: BlobStorage, @unchecked Sendable {
  private var slots: [BlobID: [Int: [UInt8]]] = [:]

  /// Creates an empty storage.
  public init() {}

  /// Returns a copy of the files.
  func copied() -> BlobMemory {
    let copy = BlobMemory()
    copy.slots = slots
    return copy
  }

  /// Keeps the encoded slots of the units.
  public func write(_ units: [BlobUnit]) throws(StoreError) {
    for unit in units {
      slots[unit.blob, default: [:]][unit.number] =
        BlobSlot(unit.number, length: unit.length).encode(unit)
    }
  }

  /// Returns a unit; nil if it was not written.
  public func unit(_ number: Int, of blob: BlobID, length: Int) throws(StoreError) -> BlobUnit? {
    slots[blob]?[number].flatMap { BlobSlot(number, length: length).decode($0, of: blob) }
  }

  /// Deletes all units of a blob.
  public func delete(_ blob: BlobID) throws(StoreError) { slots[blob] = nil }

  /// Returns the blobs of which a unit was written.
  public func stored() throws(StoreError) -> Set<BlobID> { Set(slots.keys) }
}
