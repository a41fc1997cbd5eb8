internal import MusterGeo
internal import MusterInterchange
internal import MusterLocation
internal import MusterModel
internal import MusterNode

/// The operations on positions. Everyone's can be read; those of this node's own trackers are
/// written, through the same checks as the reports of phones.
struct PositionOperations: Sendable {
  let node: Node
  let store: ResourceStore
  let catalogue: GeofenceCatalogue
  let trackers: TrackerOperations
  let geofences: GeofenceOperations
  /// Reports come one after the other: two with one new id make one tracker.
  let reports = SerialWork()

  private static let batch = 1...10
  private static let deletions = 1...100
  /// Metres.
  private static let accuracies = 0.0...10_000_000.0
  private static let mostProperties = 4
  private static let propertyKeys = 1...20
  private static let propertyValues = 1...150

  /// A position of a batch.
  private struct Update {
    let id: String
    let time: Timestamp
    let position: (longitude: Double, latitude: Double)
    let accuracyMetres: Double?
    let place: String

    init(_ input: Input) throws(ServiceFault) {
      id = try input.id("DeviceId")
      time = try input.required("SampleTime", input.time("SampleTime"))
      position = try input.position("Position")
      place = input.path(of: "Position")
      let accuracy = try input.object("Accuracy")
      accuracyMetres = try accuracy.map { accuracy throws(ServiceFault) in
        try accuracy.required(
          "Horizontal", accuracy.number("Horizontal", in: PositionOperations.accuracies))
      }
      // Checked, and not kept: the operation has no place for them.
      _ = try input.map(
        "PositionProperties", most: PositionOperations.mostProperties,
        keys: PositionOperations.propertyKeys, values: PositionOperations.propertyValues)
    }
  }

  // MARK: Writing

  func update(_ call: Call) async throws(ServiceFault) -> JSON {
    let name = try call.name("TrackerName")
    let updates = try Self.updates(call.input, "Updates")
    _ = try trackers.existing(name)
    return try await take(updates, because: .tracker(name))
  }

  /// Evaluates positions in one collection. They are stored too: an event needs a signed position.
  func evaluate(_ call: Call) async throws(ServiceFault) -> JSON {
    let name = try call.name("CollectionName")
    let updates = try Self.updates(call.input, "DevicePositionUpdates")
    _ = try await geofences.contents(of: name)
    return try await take(updates, because: .collection(name))
  }

  private static func updates(_ input: Input, _ member: String) throws(ServiceFault) -> [Update] {
    var updates: [Update] = []
    for input in try input.required(member, input.objects(member, count: batch)) {
      updates.append(try Update(input))
    }
    return updates
  }

  private func take(
    _ updates: [Update], because reason: EvaluationReason
  ) async throws(ServiceFault) -> JSON {
    try await reports.perform { () async throws(ServiceFault) in
      var directory = try await DeviceDirectory(of: node)
      let contents = try await catalogue.contents()
      var errors: [JSON] = []
      for update in updates {
        do throws(ServiceFault) {
          try await take(update, because: reason, directory, contents)
          if directory.ownName(update.id) == nil { directory = try await DeviceDirectory(of: node) }
        } catch {
          errors.append(
            .object([
              "DeviceId": .string(update.id), "SampleTime": .time(update.time),
              "Error": error.batchItem,
            ]))
        }
      }
      return .object(["Errors": .array(errors)])
    }
  }

  private func take(
    _ update: Update, because reason: EvaluationReason, _ directory: DeviceDirectory,
    _ contents: GeofenceCatalogue.Contents
  ) async throws(ServiceFault) {
    let position = try GeometryForm.coordinate(update.position, update.place)
    let known = directory.ownName(update.id)
    guard known != nil || !directory.isTaken(update.id) else {
      throw ServiceFault(
        .accessDenied,
        "the device \(update.id) belongs to a person or to another node: this node writes its own "
          + "trackers only")
    }
    let name = known ?? update.id
    guard let tracker = TrackerName(name, longestBytes: Limits.lineBytes) else {
      throw .invalid("DeviceId", "must have at most \(Limits.lineBytes) bytes")
    }
    let resources = store.current
    let scope = resources.scope(of: name, adding: reason)
    let report = TrackerReport(
      tracker: tracker,
      fix: SourceFix(
        position: position, accuracyDecimetres: Self.decimetres(update.accuracyMetres),
        sampleTime: update.time))
    let excluded = contents.rows(outside: resources.collections(in: scope))
    switch await node.take(report, without: excluded) {
    case .done: break
    case .tooFast: throw ServiceFault(.throttled, "too many positions: send the rest later")
    case .tooMany: throw ServiceFault(.accessDenied, "this node has no room for another tracker")
    case .refused(let reason): throw ServiceFault(.accessDenied, reason)
    case .unavailable: throw ServiceFault(.unavailable, "the node cannot store it now")
    }
    guard resources.devices[name] != scope else { return }
    try store.change { resources in
      guard resources.devices.count < Resources.mostDevices || resources.devices[name] != nil
      else { return }
      resources.devices[name] = resources.scope(of: name, adding: reason)
    }
  }

  /// Rounded up, so that the accuracy is never overstated. A radius of 0 counts as unknown.
  private static func decimetres(_ metres: Double?) -> UInt32? {
    guard let metres, metres > 0 else { return nil }
    return UInt32((metres * 10).rounded(.up))
  }

  func deleteHistory(_ call: Call) async throws(ServiceFault) -> JSON {
    let tracker = try call.name("TrackerName")
    let ids = try call.input.ids("DeviceIds", count: Self.deletions)
    _ = try trackers.existing(tracker)
    let directory = try await DeviceDirectory(of: node)
    var errors: [JSON] = []
    for id in ids {
      do throws(ServiceFault) {
        try await deleteHistory(of: id, directory)
      } catch {
        errors.append(.object(["DeviceId": .string(id), "Error": error.batchItem]))
      }
    }
    return .object(["Errors": .array(errors)])
  }

  private func deleteHistory(
    of id: String, _ directory: DeviceDirectory
  ) async throws(ServiceFault) {
    guard let name = directory.ownName(id) else {
      guard directory.isTaken(id) else { throw .notFound("the device", id) }
      throw ServiceFault(.accessDenied, "this node deletes the history of its own trackers only")
    }
    do {
      try await node.clearTrack(ofTracker: name)
    } catch {
      throw ServiceFault(refusing: error)
    }
  }
}
