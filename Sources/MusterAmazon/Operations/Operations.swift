internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The parts that perform the operations, joined.
struct Operations: Sendable {
  private let collections: CollectionOperations
  private let geofences: GeofenceOperations
  private let forecast: ForecastOperation
  private let trackers: TrackerOperations
  private let positions: PositionOperations
  private let reading: PositionReading
  private let tags: TagOperations

  init(node: Node, store: ResourceStore, catalogue: GeofenceCatalogue, operation: OperationID) {
    geofences = GeofenceOperations(node: node, store: store, catalogue: catalogue)
    forecast = ForecastOperation(geofences: geofences)
    collections = CollectionOperations(
      store: store, catalogue: catalogue, operation: operation, geofences: geofences)
    trackers = TrackerOperations(store: store, collections: collections, operation: operation)
    positions = PositionOperations(
      node: node, trackers: trackers, geofences: geofences,
      intake: PositionIntake(node: node, store: store, catalogue: catalogue))
    reading = PositionReading(node: node, trackers: trackers)
    tags = TagOperations(store: store, collections: collections, trackers: trackers)
  }

  func perform(_ operation: Operation, _ call: Call) async throws(ServiceFault) -> JSON {
    switch operation {
    case .createGeofenceCollection: try await collections.create(call)
    case .describeGeofenceCollection: try await collections.describe(call)
    case .updateGeofenceCollection: try await collections.update(call)
    case .deleteGeofenceCollection: try await collections.delete(call)
    case .listGeofenceCollections: try await collections.list(call)
    case .putGeofence: try await geofences.put(call)
    case .getGeofence: try await geofences.get(call)
    case .listGeofences: try await geofences.list(call)
    case .batchPutGeofence: try await geofences.batchPut(call)
    case .batchDeleteGeofence: try await geofences.batchDelete(call)
    case .batchEvaluateGeofences: try await positions.evaluate(call)
    case .forecastGeofenceEvents: try await forecast.forecast(call)
    case .createTracker: try trackers.create(call)
    case .describeTracker: try trackers.describe(call)
    case .updateTracker: try trackers.update(call)
    case .deleteTracker: try trackers.delete(call)
    case .listTrackers: try trackers.list(call)
    case .associateTrackerConsumer: try await trackers.associate(call)
    case .disassociateTrackerConsumer: try trackers.disassociate(call)
    case .listTrackerConsumers: try trackers.consumers(call)
    case .batchUpdateDevicePosition: try await positions.update(call)
    case .getDevicePosition: try await reading.get(call)
    case .batchGetDevicePosition: try await reading.batchGet(call)
    case .getDevicePositionHistory: try await reading.history(call)
    case .listDevicePositions: try await reading.list(call)
    case .batchDeleteDevicePositionHistory: try await positions.deleteHistory(call)
    case .tagResource: try await tags.tag(call)
    case .untagResource: try await tags.untag(call)
    case .listTagsForResource: try await tags.list(call)
    }
  }
}
