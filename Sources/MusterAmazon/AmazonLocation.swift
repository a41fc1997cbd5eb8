internal import MusterModel
internal import MusterNode

/// Amazon Location for unmodified clients (API version 2020-11-19): trackers, positions, geofence
/// collections and geofences.
///
/// | in the service | in the operation |
/// |---|---|
/// | geofence | a fence, signed by this node's device; its id is the fence's name |
/// | collection | the collection that fences name; `fences` has all others |
/// | device | a person or a tracker; only this node's own trackers are written |
/// | tracker | a view of all devices; its settings and associations are those of this node |
struct AmazonLocation: Sendable {
  private let operations: Operations

  /// Reads the settings of this node. Throws if their file is damaged.
  ///
  /// - Parameter folder: the home, whose lock MUST be held.
  init(node: Node, folder: String) async throws {
    operations = Operations(
      node: node, store: try ResourceStore(in: folder), catalogue: GeofenceCatalogue(of: node),
      operation: try await node.operation())
  }

  /// Answers a request of an authenticated caller.
  func answer(
    _ request: AmazonRequest, of caller: Caller, by authorizer: Authorizer, now: Timestamp
  ) async -> AmazonResponse {
    var audit: AmazonResponse.AuditEntry?
    do throws(ServiceFault) {
      let (operation, names) = try Operation.find(method: request.method, path: request.path)
      if operation.needs > .observer {
        audit = AmazonResponse.AuditEntry(name: caller.name, what: operation.rawValue)
      }
      try await authorizer.require(operation.needs, of: caller)
      let call = try Call(
        names: names, input: try Input(body: request.body), query: request.query, now: now)
      let answer = try await operations.perform(operation, call)
      return AmazonService.location.response(200, answer, audit: audit)
    } catch {
      return AmazonService.location.response(to: error, audit: audit)
    }
  }
}
