internal import MusterGeo
internal import MusterInterchange
internal import MusterLocation
internal import MusterModel
internal import MusterNode
internal import Synchronization

/// Writes positions of this node's own trackers, through the same checks as the reports of phones.
///
/// Requests that arrive during a commit share the next one (`GroupedWork`), so that their cost is
/// one commit, and two with one new id make one tracker.
final class PositionIntake: Sendable {
  /// The positions of a request.
  private struct Request: Sendable {
    let updates: [PositionOperations.Update]
    let reason: EvaluationReason
  }

  private let node: Node
  private let store: ResourceStore
  private let catalogue: GeofenceCatalogue
  /// The stored names of this node's trackers by id, as far as they were reported here. They are no
  /// one else's, so that only a new id needs the whole directory.
  private let knownNames = Mutex<[String: String]>([:])
  private let work = GroupedWork<Request, [ServiceFault?]>()

  init(node: Node, store: ResourceStore, catalogue: GeofenceCatalogue) {
    self.node = node
    self.store = store
    self.catalogue = catalogue
  }

  /// Returns the answer of the service. On return the positions without an error are durable.
  func take(
    _ updates: [PositionOperations.Update], because reason: EvaluationReason
  ) async throws(ServiceFault) -> JSON {
    let request = Request(updates: updates, reason: reason)
    let faults = try await work.perform(request) { [self] requests in await store(requests) }
    let errors = zip(updates, faults).compactMap { update, fault in
      fault.map { fault in
        JSON.object([
          "DeviceId": .string(update.id), "SampleTime": .time(update.time),
          "Error": fault.batchItem,
        ])
      }
    }
    return .object(["Errors": .array(errors)])
  }

  // MARK: A group of requests

  /// What the requests of a group read, and how far their devices are evaluated after them.
  private struct Group {
    let resources: Resources
    private let contents: GeofenceCatalogue.Contents
    /// Stored names by id.
    private(set) var names: [String: String]
    /// Nil while every id is known.
    private let directory: DeviceDirectory?
    private(set) var scopes: [String: DeviceScope] = [:]
    private var excluded: [Set<String>: Set<RowID>] = [:]

    init(
      resources: Resources, contents: GeofenceCatalogue.Contents, names: [String: String],
      directory: DeviceDirectory?
    ) {
      self.resources = resources
      self.contents = contents
      self.names = names
      self.directory = directory
    }

    /// Returns what a position is to the node. Throws if it may not be written.
    mutating func update(
      of update: PositionOperations.Update, because reason: EvaluationReason
    ) throws(ServiceFault) -> TrackerUpdate {
      let position = try GeometryForm.coordinate(update.position, update.place)
      let name = try name(of: update.id)
      guard let tracker = TrackerName(name, longestBytes: Limits.lineBytes) else {
        throw .invalid("DeviceId", "must have at most \(Limits.lineBytes) bytes")
      }
      names[update.id] = name
      let scope = (scopes[name] ?? resources.devices[name] ?? DeviceScope()).adding(reason)
      scopes[name] = scope
      let collections = resources.collections(in: scope)
      let rows = excluded[collections] ?? contents.rows(outside: collections)
      excluded[collections] = rows
      let report = TrackerReport(
        tracker: tracker, position: position,
        accuracyDecimetres: Self.decimetres(update.accuracyMetres), time: .stated(update.time))
      return TrackerUpdate(report, without: rows)
    }

    private func name(of id: String) throws(ServiceFault) -> String {
      if let known = names[id] ?? directory?.ownName(id) { return known }
      guard directory?.isTaken(id) != true else {
        throw ServiceFault(
          .accessDenied,
          "the device \(id) belongs to a person or to another node: this node writes its own "
            + "trackers only")
      }
      return id
    }

    /// Rounded up, so that the accuracy is never overstated. A radius of 0 counts as unknown.
    private static func decimetres(_ metres: Double?) -> UInt32? {
      guard let metres, metres > 0 else { return nil }
      return UInt32((metres * 10).rounded(.up))
    }
  }

  private func store(_ requests: [Request]) async -> [[ServiceFault?]] {
    do throws(ServiceFault) {
      var group = try await group(of: requests)
      var faults: [[ServiceFault?]] = []
      var updates: [TrackerUpdate] = []
      for request in requests {
        faults.append([])
        for update in request.updates {
          do throws(ServiceFault) {
            updates.append(try group.update(of: update, because: request.reason))
            faults[faults.count - 1].append(nil)
          } catch {
            faults[faults.count - 1].append(error)
          }
        }
      }
      var replies = await TrackerReports.receiveOfProgram(updates, at: node)[...]
      var stored: Set<String> = []
      for place in faults.indices {
        for item in faults[place].indices where faults[place][item] == nil {
          let fault = replies.popFirst().flatMap(Self.fault)
          faults[place][item] = fault
          if fault == nil { stored.insert(requests[place].updates[item].id) }
        }
      }
      try keep(group, of: stored)
      return faults
    } catch {
      return requests.map { $0.updates.map { _ in error } }
    }
  }

  private func group(of requests: [Request]) async throws(ServiceFault) -> Group {
    let names = knownNames.withLock { $0 }
    let isKnown = requests.allSatisfy { $0.updates.allSatisfy { names[$0.id] != nil } }
    return Group(
      resources: store.current, contents: try await catalogue.contents(), names: names,
      directory: isKnown ? nil : try await DeviceDirectory(of: node))
  }

  private static func fault(_ reply: TrackerReply) -> ServiceFault? {
    switch reply {
    case .done: nil
    case .tooFast: ServiceFault(.throttled, "too many positions: send the rest later")
    case .tooMany: ServiceFault(.accessDenied, "this node has no room for another tracker")
    case .refused(let reason): ServiceFault(.accessDenied, reason)
    case .invalid(let fault): ServiceFault(.accessDenied, fault.rawValue)
    case .unavailable: ServiceFault(.unavailable, "the node cannot store it now")
    }
  }

  /// Keeps the names and scopes of the devices with these ids.
  private func keep(_ group: Group, of ids: Set<String>) throws(ServiceFault) {
    let names = group.names.filter { ids.contains($0.key) }
    knownNames.withLock { $0.merge(names) { $1 } }
    let changed = names.values.filter { group.resources.devices[$0] != group.scopes[$0] }
    guard !changed.isEmpty else { return }
    try store.change { resources in
      for name in changed {
        guard resources.devices.count < Resources.mostDevices || resources.devices[name] != nil,
          let scope = group.scopes[name]
        else { continue }
        resources.devices[name] = scope.union(resources.devices[name] ?? DeviceScope())
      }
    }
  }
}
