internal import MusterModel

/// A geofence collection that was created at this node, besides those that fences name.
struct CollectionRecord: Codable, Hashable, Sendable {
  var description: String
  var tags: [String: String]
  let createdAt: Timestamp
  var updatedAt: Timestamp
}

/// A tracker resource: a view of all devices of the operation, with settings of this node.
struct TrackerRecord: Codable, Hashable, Sendable {
  var description: String
  var tags: [String: String]
  /// Stored for the programs that read it; it has no effect.
  var filtering: String
  /// Likewise.
  var usesEventBridge: Bool
  /// Likewise.
  var allowsGeospatialQueries: Bool
  /// The collections that evaluate the devices which report through this tracker, in order.
  var consumers: [String]
  let createdAt: Timestamp
  var updatedAt: Timestamp
}

/// What decides which collections evaluate a device: each tracker that it ever reported through,
/// and each collection that it was evaluated in directly. It only grows, so that the reports of two
/// programs do not make a device leave and enter the same zones.
struct DeviceScope: Codable, Hashable, Sendable {
  fileprivate(set) var trackers: Set<String> = []
  fileprivate(set) var collections: Set<String> = []

  /// The scope of a device that also reports through a tracker, or is evaluated in a collection.
  func adding(_ reason: EvaluationReason) -> DeviceScope {
    var scope = self
    switch reason {
    case .tracker(let name): scope.trackers.insert(name)
    case .collection(let name): scope.collections.insert(name)
    }
    return scope
  }

  func union(_ other: DeviceScope) -> DeviceScope {
    DeviceScope(
      trackers: trackers.union(other.trackers), collections: collections.union(other.collections))
  }
}

/// The collections, trackers and associations of this node.
struct Resources: Codable, Hashable, Sendable {
  /// The tracker that always exists.
  static let ownTracker = "devices"
  static let mostCollections = 1000
  static let mostTrackers = 500
  static let mostConsumers = 50
  /// Far more devices than a node records.
  static let mostDevices = 1024
  static let mostTags = 50
  static let filterings = ["TimeBased", "DistanceBased", "AccuracyBased"]

  var collections: [String: CollectionRecord] = [:]
  var trackers: [String: TrackerRecord] = [:]
  var devices: [String: DeviceScope] = [:]

  /// Returns a tracker; the one that always exists too.
  func tracker(_ name: String) -> TrackerRecord? {
    trackers[name] ?? (name == Self.ownTracker ? Self.own : nil)
  }

  private static let own = TrackerRecord(
    description: "All devices of the operation", tags: [:], filtering: filterings[0],
    usesEventBridge: false, allowsGeospatialQueries: false, consumers: [],
    createdAt: Timestamp(milliseconds: 0), updatedAt: Timestamp(milliseconds: 0))

  /// The collections that evaluate a device.
  func collections(in scope: DeviceScope) -> Set<String> {
    scope.trackers.reduce(into: scope.collections) { found, name in
      found.formUnion(tracker(name)?.consumers ?? [])
    }
  }

  /// Removes a collection from all associations.
  mutating func forgetCollection(_ name: String) {
    collections[name] = nil
    for tracker in trackers.keys { trackers[tracker]?.consumers.removeAll { $0 == name } }
    for device in devices.keys { devices[device]?.collections.remove(name) }
  }

  /// Removes a tracker. Devices that reported through it are evaluated for its collections no more.
  mutating func forgetTracker(_ name: String) {
    trackers[name] = nil
    for device in devices.keys { devices[device]?.trackers.remove(name) }
  }
}

/// Why a position is evaluated.
enum EvaluationReason: Hashable, Sendable {
  case tracker(String)
  case collection(String)
}
