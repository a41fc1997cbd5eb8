internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// Cognito Sync for unmodified clients (API version 2014-06-30): data sets of records of a user,
/// with sync counts.
///
/// | in the service | in the operation |
/// |---|---|
/// | identity pool | the operation |
/// | identity | a user; the one that the caller's access key belongs to, and no other |
/// | data set, record | rows of the user, which only devices of that user write |
/// | sync count | the count of the change at this node, which never goes back |
/// | device | a registration for notices at this node |
struct CognitoSync: Sendable {
  private let pool: OperationID
  private let datasets: DatasetOperations
  private let records: RecordOperations
  private let devices: SyncDevices

  private static let platforms = ["APNS", "APNS_SANDBOX", "GCM", "ADM"]
  private static let longestToken = 4096

  init(node: Node, pool: OperationID, devices: SyncDevices) {
    self.pool = pool
    self.devices = devices
    datasets = DatasetOperations(node: node, pool: pool)
    records = RecordOperations(node: node)
  }

  /// Answers a request of an authenticated caller.
  func answer(_ request: AmazonRequest, of caller: Caller, now: Timestamp) async -> AmazonResponse {
    let service = AmazonService.cognitoSync
    var audit: AmazonResponse.AuditEntry?
    do throws(ServiceFault) {
      let (operation, names) = try SyncOperation.find(method: request.method, path: request.path)
      if operation.needs > .observer {
        audit = AmazonResponse.AuditEntry(name: caller.name, what: operation.rawValue)
      }
      let call = try Call(
        names: names, input: try Input(body: request.body), query: request.query, now: now)
      try require(operation, of: caller, call)
      return service.response(200, try await perform(operation, caller.user, call), audit: audit)
    } catch {
      return service.response(to: error, audit: audit)
    }
  }

  /// An access key reaches the identity of its user alone.
  private func require(
    _ operation: SyncOperation, of caller: Caller, _ call: Call
  ) throws(ServiceFault) {
    if operation != .listIdentityPoolUsage {
      let named = try SyncIdentity.checked(call.segment("pool"), "IdentityPoolId")
      guard named == SyncIdentity.pool(pool) else {
        throw ServiceFault(
          .accessDenied, "the identity pool of this operation is \(SyncIdentity.pool(pool))")
      }
    }
    if operation.route.path.contains("{identity}") {
      let named = try SyncIdentity.checked(call.segment("identity"), "IdentityId")
      guard named == SyncIdentity.identity(caller.user) else {
        throw ServiceFault(
          .accessDenied,
          "the access key belongs to the identity \(SyncIdentity.identity(caller.user))")
      }
    }
    guard operation.needs <= caller.rights else {
      throw ServiceFault(
        .accessDenied, "this needs \(operation.needs.rawValue) rights, and the caller has fewer")
    }
  }

  private func perform(
    _ operation: SyncOperation, _ user: UserID, _ call: Call
  ) async throws(ServiceFault) -> JSON {
    switch operation {
    case .listIdentityPoolUsage: try await datasets.poolUsages(of: user, call)
    case .describeIdentityPoolUsage: try await datasets.poolUsage(of: user)
    case .describeIdentityUsage: try await datasets.usage(of: user)
    case .listDatasets: try await datasets.list(of: user, call)
    case .describeDataset: try await datasets.describe(of: user, call)
    case .deleteDataset: try await datasets.delete(of: user, call)
    case .listRecords: try await records.list(of: user, call)
    case .updateRecords: try await records.update(of: user, call)
    case .registerDevice: try register(user, call)
    case .subscribeToDataset: try subscribe(user, call) { $0.insert($1) }
    case .unsubscribeFromDataset: try subscribe(user, call) { $0.remove($1) }
    }
  }

  // MARK: Devices

  private func register(_ user: UserID, _ call: Call) throws(ServiceFault) -> JSON {
    let input = call.input
    let platform = try input.required("Platform", input.choice("Platform", Self.platforms))
    let token = try input.required("Token", input.text("Token", length: 1...Self.longestToken))
    let id = try devices.register(user, platform: platform, token: token)
    return .object(["DeviceId": .string(id)])
  }

  private func subscribe(
    _ user: UserID, _ call: Call, _ change: (inout Set<String>, String) -> Void
  ) throws(ServiceFault) -> JSON {
    let dataset = try SyncIdentity.dataset(call.segment("dataset"))
    let device = try SyncIdentity.device(call.segment("device"))
    try devices.change(device, of: user) { change(&$0, dataset) }
    return .object([:])
  }
}
