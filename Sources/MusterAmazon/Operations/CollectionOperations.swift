internal import MusterInterchange
internal import MusterModel

/// The operations on geofence collections: the records of this node, and the collections that
/// fences of any node name.
struct CollectionOperations: Sendable {
  let store: ResourceStore
  let catalogue: GeofenceCatalogue
  let operation: OperationID
  let geofences: GeofenceOperations

  /// In characters.
  static let descriptions = 0...1000
  private static let plans = [
    "RequestBasedUsage", "MobileAssetTracking", "MobileAssetManagement",
  ]

  func create(_ call: Call) async throws(ServiceFault) -> JSON {
    let name = try Names.resource(
      call.input.required("CollectionName", call.input.text("CollectionName", length: 1...100)),
      "CollectionName")
    try Self.checkPlan(call.input)
    let record = CollectionRecord(
      description: try call.input.text("Description", length: Self.descriptions) ?? "",
      tags: try TagOperations.tags(in: call.input) ?? [:], createdAt: call.now,
      updatedAt: call.now)
    guard try await self.record(of: name) == nil else {
      throw ServiceFault(.conflict, "the collection \(name) exists already")
    }
    try store.change { resources throws(ServiceFault) in
      guard resources.collections[name] == nil else {
        throw ServiceFault(.conflict, "the collection \(name) exists already")
      }
      try Self.requireRoom(in: resources)
      resources.collections[name] = record
    }
    return .object([
      "CollectionName": .string(name), "CollectionArn": arn(name), "CreateTime": .time(call.now),
    ])
  }

  func describe(_ call: Call) async throws(ServiceFault) -> JSON {
    let name = try call.name("CollectionName")
    let record = try await existing(name)
    let count = try await catalogue.contents().geofences(in: name).count
    return .object([
      "CollectionName": .string(name), "CollectionArn": arn(name),
      "Description": .string(record.description), "Tags": TagOperations.json(of: record.tags),
      "CreateTime": .time(record.createdAt), "UpdateTime": .time(record.updatedAt),
      "GeofenceCount": .count(count),
    ])
  }

  func update(_ call: Call) async throws(ServiceFault) -> JSON {
    let name = try call.name("CollectionName")
    try Self.checkPlan(call.input)
    let description = try call.input.text("Description", length: Self.descriptions)
    try await change(name) { record in
      if let description { record.description = description }
      record.updatedAt = call.now
    }
    return .object([
      "CollectionName": .string(name), "CollectionArn": arn(name), "UpdateTime": .time(call.now),
    ])
  }

  /// Deletes the geofences first: if the node rejects that, the collection stays.
  func delete(_ call: Call) async throws(ServiceFault) -> JSON {
    let name = try call.name("CollectionName")
    try Self.requireForeign(name)
    _ = try await existing(name)
    try await geofences.deleteAll(in: name)
    try store.change { $0.forgetCollection(name) }
    return .object([:])
  }

  func list(_ call: Call) async throws(ServiceFault) -> JSON {
    let contents = try await catalogue.contents()
    let resources = store.current
    let names = Set(resources.collections.keys).union(contents.collections)
      .union([Geofence.ownCollection])
    let page = try Page(of: names.sorted(), by: { $0 }, call.input)
    let entries = page.elements.compactMap { name -> JSON? in
      guard let record = Self.record(of: name, resources, contents) else { return nil }
      return .object([
        "CollectionName": .string(name), "Description": .string(record.description),
        "CreateTime": .time(record.createdAt), "UpdateTime": .time(record.updatedAt),
      ])
    }
    return .page("Entries", entries, next: page.next)
  }

  // MARK: Records

  /// Returns a collection. Throws if there is none of that name.
  func existing(_ name: String) async throws(ServiceFault) -> CollectionRecord {
    guard let record = try await record(of: name) else {
      throw .notFound("the collection", name)
    }
    return record
  }

  private func record(of name: String) async throws(ServiceFault) -> CollectionRecord? {
    Self.record(of: name, store.current, try await catalogue.contents())
  }

  /// A collection that only fences name exists since the first of them.
  private static func record(
    of name: String, _ resources: Resources, _ contents: GeofenceCatalogue.Contents
  ) -> CollectionRecord? {
    if let record = resources.collections[name] { return record }
    let geofences = contents.geofences(in: name)
    guard !geofences.isEmpty || name == Geofence.ownCollection else { return nil }
    let zero = Timestamp(milliseconds: 0)
    return CollectionRecord(
      description: name == Geofence.ownCollection ? "All other zones of the operation" : "",
      tags: [:], createdAt: geofences.map(\.createdAt).min() ?? zero,
      updatedAt: geofences.map(\.updatedAt).max() ?? zero)
  }

  /// Changes the record of a collection, which is created if only fences name the collection.
  func change(
    _ name: String, _ body: (inout CollectionRecord) throws(ServiceFault) -> Void
  ) async throws(ServiceFault) {
    try Self.requireForeign(name)
    let existing = try await existing(name)
    try store.change { resources throws(ServiceFault) in
      if resources.collections[name] == nil { try Self.requireRoom(in: resources) }
      var record = resources.collections[name] ?? existing
      try body(&record)
      resources.collections[name] = record
    }
  }

  private static func requireRoom(in resources: Resources) throws(ServiceFault) {
    guard resources.collections.count < Resources.mostCollections else {
      throw ServiceFault(.quotaExceeded, "too many collections: delete one first")
    }
  }

  private static func requireForeign(_ name: String) throws(ServiceFault) {
    guard name != Geofence.ownCollection else {
      throw ServiceFault(.accessDenied, "the collection \(name) is built in")
    }
  }

  /// Pricing plans are accepted and have no effect.
  static func checkPlan(_ input: Input) throws(ServiceFault) {
    _ = try input.choice("PricingPlan", plans)
    _ = try input.text("PricingPlanDataSource", length: 0...1000)
    _ = try input.text("KmsKeyId", length: 1...2048)
  }

  private func arn(_ name: String) -> JSON {
    .string(ResourceARN(.collection, name).text(in: operation))
  }
}

extension JSON {
  /// A page of a list, with the token of the next one.
  static func page(_ name: String, _ elements: [JSON], next: String?) -> JSON {
    var members: [String: JSON] = [name: .array(elements)]
    if let next { members["NextToken"] = .string(next) }
    return .object(members)
  }
}
