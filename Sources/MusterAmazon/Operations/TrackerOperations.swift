internal import MusterInterchange
internal import MusterModel

/// The operations on trackers and their associations with collections, which are settings of this
/// node.
struct TrackerOperations: Sendable {
  let store: ResourceStore
  let collections: CollectionOperations
  let operation: OperationID

  func create(_ call: Call) throws(ServiceFault) -> JSON {
    let input = call.input
    let name = try Names.resource(
      input.required("TrackerName", input.text("TrackerName", length: 1...100)), "TrackerName")
    var record = TrackerRecord(
      description: "", tags: try TagOperations.tags(in: input) ?? [:],
      filtering: Resources.filterings[0], usesEventBridge: false, allowsGeospatialQueries: false,
      consumers: [], createdAt: call.now, updatedAt: call.now)
    try Self.apply(input, to: &record)
    try store.change { resources throws(ServiceFault) in
      guard resources.tracker(name) == nil else {
        throw ServiceFault(.conflict, "the tracker \(name) exists already")
      }
      guard resources.trackers.count < Resources.mostTrackers else {
        throw ServiceFault(.quotaExceeded, "too many trackers: delete one first")
      }
      resources.trackers[name] = record
    }
    return .object([
      "TrackerName": .string(name), "TrackerArn": arn(name), "CreateTime": .time(call.now),
    ])
  }

  private static func apply(
    _ input: Input, to record: inout TrackerRecord
  ) throws(ServiceFault) {
    try CollectionOperations.checkPlan(input)
    if let text = try input.text("Description", length: CollectionOperations.descriptions) {
      record.description = text
    }
    if let filtering = try input.choice("PositionFiltering", Resources.filterings) {
      record.filtering = filtering
    }
    if let flag = try input.flag("EventBridgeEnabled") { record.usesEventBridge = flag }
    if let flag = try input.flag("KmsKeyEnableGeospatialQueries") {
      record.allowsGeospatialQueries = flag
    }
  }

  func describe(_ call: Call) throws(ServiceFault) -> JSON {
    let name = try call.name("TrackerName")
    let record = try existing(name)
    return .object([
      "TrackerName": .string(name), "TrackerArn": arn(name),
      "Description": .string(record.description), "Tags": TagOperations.json(of: record.tags),
      "CreateTime": .time(record.createdAt), "UpdateTime": .time(record.updatedAt),
      "PositionFiltering": .string(record.filtering),
      "EventBridgeEnabled": .bool(record.usesEventBridge),
      "KmsKeyEnableGeospatialQueries": .bool(record.allowsGeospatialQueries),
    ])
  }

  func update(_ call: Call) throws(ServiceFault) -> JSON {
    let name = try call.name("TrackerName")
    try change(name) { record throws(ServiceFault) in
      try Self.apply(call.input, to: &record)
      record.updatedAt = call.now
    }
    return .object([
      "TrackerName": .string(name), "TrackerArn": arn(name), "UpdateTime": .time(call.now),
    ])
  }

  func delete(_ call: Call) throws(ServiceFault) -> JSON {
    let name = try call.name("TrackerName")
    try Self.requireForeign(name)
    _ = try existing(name)
    try store.change { $0.forgetTracker(name) }
    return .object([:])
  }

  func list(_ call: Call) throws(ServiceFault) -> JSON {
    let resources = store.current
    let names = Set(resources.trackers.keys).union([Resources.ownTracker])
    let page = try Page(of: names.sorted(), by: { $0 }, call.input)
    let entries = page.elements.compactMap { name -> JSON? in
      guard let record = resources.tracker(name) else { return nil }
      return .object([
        "TrackerName": .string(name), "Description": .string(record.description),
        "CreateTime": .time(record.createdAt), "UpdateTime": .time(record.updatedAt),
      ])
    }
    return .page("Entries", entries, next: page.next)
  }

  // MARK: Consumers

  func associate(_ call: Call) async throws(ServiceFault) -> JSON {
    let name = try call.name("TrackerName")
    let text = try call.input.required(
      "ConsumerArn", call.input.text("ConsumerArn", length: 1...ResourceARN.longest))
    let collection = try Self.collection(try ResourceARN(text, "ConsumerArn"))
    _ = try existing(name)
    _ = try await collections.existing(collection)
    try store.change { resources throws(ServiceFault) in
      var record = resources.tracker(name)
      guard record?.consumers.contains(collection) == false else {
        throw ServiceFault(
          .conflict, "the tracker \(name) is associated with \(collection) already")
      }
      guard record.map({ $0.consumers.count < Resources.mostConsumers }) == true else {
        throw ServiceFault(.quotaExceeded, "the tracker \(name) has too many consumers")
      }
      record?.consumers.append(collection)
      record?.consumers.sort()
      resources.trackers[name] = record
    }
    return .object([:])
  }

  func disassociate(_ call: Call) throws(ServiceFault) -> JSON {
    let name = try call.name("TrackerName")
    let collection = try Self.collection(try call.arn("ConsumerArn"))
    _ = try existing(name)
    try store.change { resources throws(ServiceFault) in
      guard resources.tracker(name)?.consumers.contains(collection) == true else {
        throw .notFound("the association with", collection)
      }
      resources.trackers[name]?.consumers.removeAll { $0 == collection }
    }
    return .object([:])
  }

  func consumers(_ call: Call) throws(ServiceFault) -> JSON {
    let record = try existing(try call.name("TrackerName"))
    let page = try Page(of: record.consumers, by: { $0 }, call.input)
    let arns = page.elements.map { name in
      JSON.string(ResourceARN(.collection, name).text(in: operation))
    }
    return .page("ConsumerArns", arns, next: page.next)
  }

  private static func collection(_ arn: ResourceARN) throws(ServiceFault) -> String {
    guard arn.kind == .collection else {
      throw .invalid("ConsumerArn", "must be the ARN of a geofence collection")
    }
    return arn.name
  }

  // MARK: Records

  /// Returns a tracker. Throws if there is none of that name.
  func existing(_ name: String) throws(ServiceFault) -> TrackerRecord {
    guard let record = store.current.tracker(name) else { throw .notFound("the tracker", name) }
    return record
  }

  /// Changes the settings of a tracker.
  func change(
    _ name: String, _ body: (inout TrackerRecord) throws(ServiceFault) -> Void
  ) throws(ServiceFault) {
    try Self.requireForeign(name)
    try store.change { resources throws(ServiceFault) in
      guard var record = resources.trackers[name] else {
        throw .notFound("the tracker", name)
      }
      try body(&record)
      resources.trackers[name] = record
    }
  }

  private static func requireForeign(_ name: String) throws(ServiceFault) {
    guard name != Resources.ownTracker else {
      throw ServiceFault(.accessDenied, "the tracker \(name) is built in")
    }
  }

  private func arn(_ name: String) -> JSON {
    .string(ResourceARN(.tracker, name).text(in: operation))
  }
}
