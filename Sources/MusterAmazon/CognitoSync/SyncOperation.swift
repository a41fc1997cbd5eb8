/// The operations of Cognito Sync that this node performs, with their routes.
enum SyncOperation: String, CaseIterable {
  case listIdentityPoolUsage = "ListIdentityPoolUsage"
  case describeIdentityPoolUsage = "DescribeIdentityPoolUsage"
  case describeIdentityUsage = "DescribeIdentityUsage"
  case listDatasets = "ListDatasets"
  case describeDataset = "DescribeDataset"
  case deleteDataset = "DeleteDataset"
  case listRecords = "ListRecords"
  case updateRecords = "UpdateRecords"
  case registerDevice = "RegisterDevice"
  case subscribeToDataset = "SubscribeToDataset"
  case unsubscribeFromDataset = "UnsubscribeFromDataset"

  private static let pools = "/identitypools"

  /// The method and the path.
  var route: (method: String, path: String) {
    let pool = "\(Self.pools)/{pool}"
    let identity = "\(pool)/identities/{identity}"
    let dataset = "\(identity)/datasets/{dataset}"
    return switch self {
    case .listIdentityPoolUsage: ("GET", Self.pools)
    case .describeIdentityPoolUsage: ("GET", pool)
    case .describeIdentityUsage: ("GET", identity)
    case .listDatasets: ("GET", "\(identity)/datasets")
    case .describeDataset: ("GET", dataset)
    case .deleteDataset: ("DELETE", dataset)
    case .listRecords: ("GET", "\(dataset)/records")
    case .updateRecords: ("POST", dataset)
    // So in the service's model.
    case .registerDevice: ("POST", "\(pool)/identity/{identity}/device")
    case .subscribeToDataset: ("POST", "\(dataset)/subscriptions/{device}")
    case .unsubscribeFromDataset: ("DELETE", "\(dataset)/subscriptions/{device}")
    }
  }

  /// The rights that a caller needs. The role of the node's device permits records of its user,
  /// unless it is a relay.
  var needs: AccessKey.Rights {
    switch self {
    case .deleteDataset, .updateRecords: .member
    case .listIdentityPoolUsage, .describeIdentityPoolUsage, .describeIdentityUsage,
      .listDatasets, .describeDataset, .listRecords, .registerDevice, .subscribeToDataset,
      .unsubscribeFromDataset:
      .observer
    }
  }

  private static let routes = RouteTable(allCases, by: \.route)

  /// Whether a path belongs to the service, with operations that are not performed here.
  static func owns(_ path: String) -> Bool { path == pools || path.hasPrefix(pools + "/") }

  /// Returns the operation of a request, and the decoded names in its path, as `RouteTable` does.
  static func find(
    method: String, path: String
  ) throws(ServiceFault) -> (operation: SyncOperation, names: [String: String]) {
    try routes.find(method: method, path: path)
  }
}
