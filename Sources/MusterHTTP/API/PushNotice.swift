internal import MusterAmazon
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The notice that records of a data set of this node's user have changed, with the members of a
/// push notice of Cognito Sync. A client whose count is behind lists the records after it.
struct PushNotice: Hashable, Sendable {
  let dataset: String
  let syncCount: UInt64
  /// As JSON.
  let text: String

  init(_ dataset: RecordDataset, of user: UserID, in operation: OperationID) {
    self.dataset = dataset.name
    syncCount = dataset.syncCount
    text =
      JSON.object([
        "source": .string("cognito-sync"),
        "identityPoolId": .string(SyncIdentity.pool(operation)),
        "identityId": .string(SyncIdentity.identity(user)),
        "datasetName": .string(dataset.name), "syncCount": .unsigned(dataset.syncCount),
      ]).text
  }

  /// Returns the notices of the data sets that a reader has missed, by name.
  static func all(of missed: Node.MissedChanges, at node: Node) async throws -> [PushNotice] {
    let (user, operation) = (try await node.user(), try await node.operation())
    return try await UserRecords.datasets(in: missed, at: node).map {
      PushNotice($0, of: user, in: operation)
    }
  }
}

/// The push notices that a reader receives.
enum PushChoice: Hashable, Sendable {
  case none
  case all
  /// Those of the data sets that a device follows, which a program registered by Cognito Sync.
  case device(String)
}
