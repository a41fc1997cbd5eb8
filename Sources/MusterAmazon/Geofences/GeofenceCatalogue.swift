internal import MusterModel
internal import MusterNode
internal import Synchronization

/// The fences of the operation by collection and id, read again after each change of a fence.
final class GeofenceCatalogue: Sendable {
  /// The fences at one moment.
  struct Contents: Sendable {
    /// By collection, then by id.
    private let geofences: [String: [String: Geofence]]

    /// Fences of one collection with the same name were written on several nodes: the first row has
    /// the name as its id, the others have the ids of their rows.
    init(_ fences: [FenceSummary]) {
      var geofences: [String: [String: Geofence]] = [:]
      for fence in fences.sorted(by: { $0.id < $1.id }) {
        let hasCollection =
          Names.isResourceName(fence.collection) && fence.collection != Geofence.ownCollection
        let collection = hasCollection ? fence.collection : Geofence.ownCollection
        let isNamed =
          !fence.collection.isEmpty && Names.isID(fence.name)
          && geofences[collection]?[fence.name] == nil
        let id = isNamed ? fence.name : "\(fence.id)"
        geofences[collection, default: [:]][id] = Geofence(fence, id: id)
      }
      self.geofences = geofences
    }

    /// The names of collections that have geofences, without the collection of other zones.
    var collections: [String] { geofences.keys.filter { $0 != Geofence.ownCollection } }

    /// Returns the geofences of a collection by id.
    func geofences(in collection: String) -> [Geofence] {
      (geofences[collection] ?? [:]).values.sorted { $0.id < $1.id }
    }

    func geofence(_ id: String, in collection: String) -> Geofence? {
      geofences[collection]?[id]
    }

    /// Returns the rows of all geofences that are in other collections than these. Zones that were
    /// not written into a collection are never among them.
    func rows(outside collections: Set<String>) -> Set<RowID> {
      var rows: Set<RowID> = []
      for (collection, geofences) in geofences
      where collection != Geofence.ownCollection && !collections.contains(collection) {
        rows.formUnion(geofences.values.map(\.row))
      }
      return rows
    }
  }

  private let node: Node
  private let known = Mutex<(count: UInt64, contents: Contents)?>(nil)

  init(of node: Node) { self.node = node }

  /// Returns the fences: every write that was answered before is among them.
  func contents() async throws(ServiceFault) -> Contents {
    let count = node.changeCounts[.fences]
    if let known = known.withLock({ $0 }), known.count == count { return known.contents }
    guard case .fences(let fences) = try await node.ask(.fences) else { throw .unexpected }
    let contents = Contents(fences)
    known.withLock { $0 = (count, contents) }
    return contents
  }
}

extension Node {
  /// Performs a command. Throws if the node rejects it.
  func ask(_ command: Command) async throws(ServiceFault) -> Reply {
    let reply = await perform(command)
    if case .refused(let reason, let kind) = reply { throw ServiceFault(reason, kind) }
    return reply
  }
}
