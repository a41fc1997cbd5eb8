internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The operations that write positions, as `PositionIntake` does.
struct PositionOperations: Sendable {
  let node: Node
  let trackers: TrackerOperations
  let geofences: GeofenceOperations
  let intake: PositionIntake

  private static let batch = 1...10
  private static let deletions = 1...100
  /// Metres.
  private static let accuracies = 0.0...10_000_000.0
  private static let mostProperties = 4
  private static let propertyKeys = 1...20
  private static let propertyValues = 1...150

  /// A position of a batch.
  struct Update: Sendable {
    let id: String
    let time: Timestamp
    let position: (longitude: Double, latitude: Double)
    let accuracyMetres: Double?
    /// The position's place in the request, for messages.
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
    return try await intake.take(updates, because: .tracker(name))
  }

  /// Evaluates positions in one collection. They are stored too: an event needs a signed position.
  func evaluate(_ call: Call) async throws(ServiceFault) -> JSON {
    let name = try call.name("CollectionName")
    let updates = try Self.updates(call.input, "DevicePositionUpdates")
    _ = try await geofences.contents(of: name)
    return try await intake.take(updates, because: .collection(name))
  }

  private static func updates(_ input: Input, _ member: String) throws(ServiceFault) -> [Update] {
    var updates: [Update] = []
    for input in try input.required(member, input.objects(member, count: batch)) {
      updates.append(try Update(input))
    }
    return updates
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
