/// The operations of Amazon Location that this node performs, with their routes.
enum Operation: String, CaseIterable {
  case createGeofenceCollection = "CreateGeofenceCollection"
  case describeGeofenceCollection = "DescribeGeofenceCollection"
  case updateGeofenceCollection = "UpdateGeofenceCollection"
  case deleteGeofenceCollection = "DeleteGeofenceCollection"
  case listGeofenceCollections = "ListGeofenceCollections"
  case putGeofence = "PutGeofence"
  case getGeofence = "GetGeofence"
  case listGeofences = "ListGeofences"
  case batchPutGeofence = "BatchPutGeofence"
  case batchDeleteGeofence = "BatchDeleteGeofence"
  case batchEvaluateGeofences = "BatchEvaluateGeofences"
  case forecastGeofenceEvents = "ForecastGeofenceEvents"
  case createTracker = "CreateTracker"
  case describeTracker = "DescribeTracker"
  case updateTracker = "UpdateTracker"
  case deleteTracker = "DeleteTracker"
  case listTrackers = "ListTrackers"
  case associateTrackerConsumer = "AssociateTrackerConsumer"
  case disassociateTrackerConsumer = "DisassociateTrackerConsumer"
  case listTrackerConsumers = "ListTrackerConsumers"
  case batchUpdateDevicePosition = "BatchUpdateDevicePosition"
  case getDevicePosition = "GetDevicePosition"
  case batchGetDevicePosition = "BatchGetDevicePosition"
  case getDevicePositionHistory = "GetDevicePositionHistory"
  case listDevicePositions = "ListDevicePositions"
  case batchDeleteDevicePositionHistory = "BatchDeleteDevicePositionHistory"
  case tagResource = "TagResource"
  case untagResource = "UntagResource"
  case listTagsForResource = "ListTagsForResource"

  private static let collections = "/geofencing/v0/collections"
  private static let trackers = "/tracking/v0/trackers"

  /// The method and the path.
  var route: (method: String, path: String) {
    let (collections, trackers) = (Self.collections, Self.trackers)
    return switch self {
    case .createGeofenceCollection: ("POST", collections)
    case .describeGeofenceCollection: ("GET", "\(collections)/{name}")
    case .updateGeofenceCollection: ("PATCH", "\(collections)/{name}")
    case .deleteGeofenceCollection: ("DELETE", "\(collections)/{name}")
    case .listGeofenceCollections: ("POST", "/geofencing/v0/list-collections")
    case .putGeofence: ("PUT", "\(collections)/{name}/geofences/{id}")
    case .getGeofence: ("GET", "\(collections)/{name}/geofences/{id}")
    case .listGeofences: ("POST", "\(collections)/{name}/list-geofences")
    case .batchPutGeofence: ("POST", "\(collections)/{name}/put-geofences")
    case .batchDeleteGeofence: ("POST", "\(collections)/{name}/delete-geofences")
    case .batchEvaluateGeofences: ("POST", "\(collections)/{name}/positions")
    case .forecastGeofenceEvents: ("POST", "\(collections)/{name}/forecast-geofence-events")
    case .createTracker: ("POST", trackers)
    case .describeTracker: ("GET", "\(trackers)/{name}")
    case .updateTracker: ("PATCH", "\(trackers)/{name}")
    case .deleteTracker: ("DELETE", "\(trackers)/{name}")
    case .listTrackers: ("POST", "/tracking/v0/list-trackers")
    case .associateTrackerConsumer: ("POST", "\(trackers)/{name}/consumers")
    case .disassociateTrackerConsumer: ("DELETE", "\(trackers)/{name}/consumers/{arn}")
    case .listTrackerConsumers: ("POST", "\(trackers)/{name}/list-consumers")
    case .batchUpdateDevicePosition: ("POST", "\(trackers)/{name}/positions")
    case .getDevicePosition: ("GET", "\(trackers)/{name}/devices/{id}/positions/latest")
    case .batchGetDevicePosition: ("POST", "\(trackers)/{name}/get-positions")
    case .getDevicePositionHistory: ("POST", "\(trackers)/{name}/devices/{id}/list-positions")
    case .listDevicePositions: ("POST", "\(trackers)/{name}/list-positions")
    case .batchDeleteDevicePositionHistory: ("POST", "\(trackers)/{name}/delete-positions")
    case .tagResource: ("POST", "/tags/{arn}")
    case .untagResource: ("DELETE", "/tags/{arn}")
    case .listTagsForResource: ("GET", "/tags/{arn}")
    }
  }

  /// The rights that a caller needs.
  var needs: AccessKey.Rights {
    switch self {
    case .describeGeofenceCollection, .listGeofenceCollections, .getGeofence, .listGeofences,
      .forecastGeofenceEvents, .describeTracker, .listTrackers, .listTrackerConsumers,
      .getDevicePosition, .batchGetDevicePosition, .getDevicePositionHistory,
      .listDevicePositions, .listTagsForResource:
      .observer
    case .createGeofenceCollection, .updateGeofenceCollection, .createTracker, .updateTracker,
      .deleteTracker, .associateTrackerConsumer, .disassociateTrackerConsumer,
      .batchUpdateDevicePosition, .batchEvaluateGeofences, .batchDeleteDevicePositionHistory,
      .tagResource, .untagResource:
      .member
    case .putGeofence, .batchPutGeofence, .batchDeleteGeofence, .deleteGeofenceCollection:
      .command
    }
  }

  // MARK: Routing

  private static let routes = RouteTable(allCases, by: \.route)

  private static let folders = [
    "/geofencing/", "/tracking/", "/tags/", "/maps/", "/places/", "/routes/", "/metadata/",
  ]

  /// Whether a path belongs to the service, with operations that are not performed here.
  static func owns(_ path: String) -> Bool { folders.contains { path.hasPrefix($0) } }

  /// Returns the operation of a request, and the decoded names in its path, as `RouteTable` does.
  static func find(
    method: String, path: String
  ) throws(ServiceFault) -> (operation: Operation, names: [String: String]) {
    try routes.find(method: method, path: path)
  }
}
