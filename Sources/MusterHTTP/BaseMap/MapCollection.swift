internal import Dispatch
internal import Foundation
public import MusterInterchange
public import MusterModel
internal import NIOCore
internal import Synchronization

/// All maps of a node: those of `muster run --map`, those of the home's folder, and those of all
/// users of this laptop. Both folders may change while the node runs.
///
/// The folders are read when a client asks for the list. A file is opened once, and again if it
/// changed.
public final class MapCollection: @unchecked Sendable {
  // Unchecked: `opened` is used only on `queue`, and `overlays` only on `overlayQueue`.

  /// One map.
  public struct Item: Sendable {
    /// Unique in the collection.
    public let name: String
    /// The length of the file.
    public let bytes: Int64
    /// Whether it is in the home's folder, and can be removed.
    public let isRemovable: Bool
    let content: MapContent
    fileprivate let path: String
  }

  /// The folder; nil if no map can be added.
  let folder: MapFolder?
  private let shared: MapFolder
  private let given: [Item]
  private let queue = DispatchQueue(label: "muster.maps")
  /// A queue of its own: parsing a large overlay takes seconds.
  private let overlayQueue = DispatchQueue(label: "muster.maps.overlays")
  private var opened: [MapFolder.File: MapContent] = [:]
  private var overlays = OverlayCache()
  private let maps = Mutex<[String: BaseMap]>([:])

  /// - Parameters:
  ///   - files: the paths of further maps, which are not copied.
  ///   - folder: the folder of added maps.
  ///   - shared: the folder of the maps of all users.
  /// - Throws: a fault of one of the files.
  public init(
    files: [String] = [], in folder: MapFolder?, shared: MapFolder = .shared
  ) throws(BaseMap.Fault) {
    var given: [Item] = []
    for path in files {
      let content = try MapContent.read(path)
      let file = URL(filePath: path).lastPathComponent
      let name = MapFolder.name(for: file) ?? "map"
      let same = given.count { $0.name == name || $0.name.hasPrefix("\(name)-") }
      let unique = same == 0 ? name : "\(name)-\(same + 1)"
      given.append(
        Item(
          name: unique, bytes: MapFolder.File(unique, at: path).bytes, isRemovable: false,
          content: content, path: path))
    }
    self.given = given
    self.folder = folder
    self.shared = shared
    _ = refresh(given)
  }

  /// Creates a collection without maps, to which none can be added.
  public init() { (given, folder, shared) = ([], nil, .shared) }

  /// Returns all maps, as they are now.
  public func items() async -> [Item] {
    await withCheckedContinuation { done in
      queue.async { done.resume(returning: self.refresh(self.given + self.stored())) }
    }
  }

  /// Returns a base map; nil if there is none of this name.
  func map(named name: String) async -> BaseMap? {
    if let map = maps.withLock({ $0[name] }) { return map }
    _ = await items()
    return maps.withLock { $0[name] }
  }

  /// Returns the names of the base maps that cover all of some places. A map that does not state
  /// its extent counts.
  public func names(covering places: [Coordinate]) async -> [String] {
    await items().filter { item in
      guard case .tiles(let map) = item.content else { return false }
      guard let extent = map.about.bounds else { return true }
      return places.allSatisfy { place in
        (extent[0]...extent[2]).contains(place.longitude)
          && (extent[1]...extent[3]).contains(place.latitude)
      }
    }.map(\.name)
  }

  /// The first base map; nil without one.
  func first() async -> BaseMap? {
    for item in await items() {
      if case .tiles(let map) = item.content { return map }
    }
    return nil
  }

  /// Returns the shapes of an overlay as GeoJSON; nil if there is none of this name. The file is
  /// parsed once, and again if it changed.
  func overlay(named name: String) async throws -> ByteBuffer? {
    guard let item = await items().first(where: { $0.name == name }),
      case .overlay = item.content
    else { return nil }
    return try await withCheckedThrowingContinuation { done in
      overlayQueue.async { done.resume(with: Result { try self.shapes(of: item) }) }
    }
  }

  /// Keeps the content of a file that was just added to the folder, so that it is not read again.
  func keep(_ content: MapContent, of name: String) {
    guard let folder else { return }
    let file = MapFolder.File(name, at: folder.path(of: name))
    queue.async { self.opened[file] = content }
  }

  // MARK: On the queues

  private func shapes(of item: Item) throws -> ByteBuffer {
    let file = MapFolder.File(item.name, at: item.path)
    if let text = overlays.text(of: file) { return text }
    let text = ByteBuffer(string: try MapOverlay(opening: item.path).json.text)
    overlays.store(text, of: file)
    return text
  }

  /// The maps of both folders. Of two with one name, that of the home counts.
  private func stored() -> [Item] {
    var names = Set(given.map(\.name))
    var kept: [MapFolder.File: MapContent] = [:]
    var items: [Item] = []
    for place in [folder, shared].compactMap(\.self) {
      for file in place.files() where names.insert(file.name).inserted {
        let path = place.path(of: file.name)
        let content = opened[file] ?? Self.content(path, file.name)
        kept[file] = content
        items.append(
          Item(
            name: file.name, bytes: file.bytes, isRemovable: place.path == folder?.path,
            content: content, path: path))
      }
    }
    opened = kept
    return items
  }

  private static func content(_ path: String, _ name: String) -> MapContent {
    do throws(BaseMap.Fault) {
      return try MapContent.read(path)
    } catch {
      return .fault(error.description.replacing(path, with: name))
    }
  }

  private func refresh(_ items: [Item]) -> [Item] {
    let tiles = items.compactMap { item in
      if case .tiles(let map) = item.content { (item.name, map) } else { nil }
    }
    maps.withLock { $0 = Dictionary(tiles) { first, _ in first } }
    return items
  }
}

extension MapCollection.Item {
  /// The JSON of the API and of `muster map list --json`.
  public var json: JSON {
    var about: BaseMap.About?
    var bounds: [Double]?
    var fault: String?
    var outcome: ImportOutcome?
    switch content {
    case .tiles(let map): (about, bounds) = (map.about, map.about.bounds)
    case .overlay(let extent, let read): (bounds, outcome) = (extent, read)
    case .fault(let reason): fault = reason
    }
    return .object([
      "name": .string(name), "title": .string(about?.name ?? ""),
      "attribution": .string(about?.attribution ?? ""),
      "kind": .known(content.kind, JSON.string), "bytes": .integer(bytes),
      "isRemovable": .bool(isRemovable), "fault": .known(fault, JSON.string),
      "tiles": .known(about) { _ in .string("/tiles/\(name)/{z}/{x}/{y}") },
      "format": .known(about?.format.rawValue, JSON.string),
      "minZoom": .known(about?.zooms.lowerBound, JSON.count),
      "maxZoom": .known(about?.zooms.upperBound, JSON.count),
      "bounds": .known(bounds) { .array($0.map(JSON.real)) },
      "layers": .strings(about?.layers ?? []),
      "import": .known(outcome, \.json),
    ])
  }
}
