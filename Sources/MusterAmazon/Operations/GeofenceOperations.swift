internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The operations on geofences: writes to fences, signed by this node's device.
struct GeofenceOperations: Sendable {
  let node: Node
  let store: ResourceStore
  let catalogue: GeofenceCatalogue
  /// Writes that depend on what exists come one after the other.
  let writes = SerialWork()

  private static let batch = 1...10

  /// A geofence to write.
  private struct Draft {
    let id: String
    let geometry: FenceGeometry
    let properties: [String: String]

    init(_ input: Input, id: String) throws(ServiceFault) {
      self.id = id
      guard id.utf8.count <= Limits.lineBytes, TextRule.line.accepts(id) else {
        throw .invalid("GeofenceId", "must have at most \(Limits.lineBytes) bytes")
      }
      properties =
        try input.map(
          "GeofenceProperties", most: Geofence.mostProperties, keys: Geofence.propertyKeys,
          values: Geofence.propertyValues) ?? [:]
      geometry = try GeometryForm.geometry(of: input)
    }

    /// What being inside means; nil leaves it unchanged.
    var kind: FenceKind? { properties[Geofence.kindProperty].flatMap(FenceKind.init(name:)) }
  }

  // MARK: Writing

  func put(_ call: Call) async throws(ServiceFault) -> JSON {
    let collection = try call.name("CollectionName")
    let draft = try Draft(call.input, id: try call.id("GeofenceId"))
    return try await writes.perform { () async throws(ServiceFault) in
      let contents = try await contents(of: collection)
      try await write(draft, to: collection, contents)
      guard let written = try await catalogue.contents().geofence(draft.id, in: collection) else {
        throw ServiceFault(.conflict, "the geofence was deleted meanwhile")
      }
      return .object(written.receipt)
    }
  }

  /// Faults of one geofence do not concern the others.
  func batchPut(_ call: Call) async throws(ServiceFault) -> JSON {
    let collection = try call.name("CollectionName")
    let entries = try call.input.required(
      "Entries", call.input.objects("Entries", count: Self.batch))
    var ids: [String] = []
    for entry in entries { ids.append(try entry.id("GeofenceId")) }
    for entry in entries { _ = try entry.required("Geometry", entry.object("Geometry")) }
    return try await writes.perform { () async throws(ServiceFault) in
      var contents = try await contents(of: collection)
      var (written, errors): ([String], [JSON]) = ([], [])
      for (entry, id) in zip(entries, ids) {
        do throws(ServiceFault) {
          // An id that occurs twice is written twice, and changed the second time.
          if written.contains(id) { contents = try await catalogue.contents() }
          try await write(try Draft(entry, id: id), to: collection, contents)
          written.append(id)
        } catch {
          errors.append(.object(["GeofenceId": .string(id), "Error": error.batchItem]))
        }
      }
      contents = try await catalogue.contents()
      let receipts = written.compactMap { contents.geofence($0, in: collection)?.receipt }
      return .object([
        "Successes": .array(receipts.map(JSON.object)), "Errors": .array(errors),
      ])
    }
  }

  private func write(
    _ draft: Draft, to collection: String, _ contents: GeofenceCatalogue.Contents
  ) async throws(ServiceFault) {
    guard let known = contents.geofence(draft.id, in: collection) else {
      var fence = FenceDraft(
        name: draft.id, kind: draft.kind ?? .info, geometry: draft.geometry,
        properties: draft.properties.isEmpty
          ? nil : JSON.object(draft.properties.mapValues(JSON.string)).text,
        mode: .strictAWS)
      fence.collection = collection
      _ = try await node.ask(.addFence(fence))
      return
    }
    var changes = FenceChanges(
      kind: draft.kind.flatMap { $0 == known.kind ? nil : $0 },
      geometry: draft.geometry == known.geometry ? nil : draft.geometry)
    changes.properties = known.properties(replacedBy: draft.properties)
    guard changes != FenceChanges() else { return }
    _ = try await node.ask(.editFence("\(known.row)", changes))
  }

  func batchDelete(_ call: Call) async throws(ServiceFault) -> JSON {
    let collection = try call.name("CollectionName")
    let ids = try call.input.ids("GeofenceIds", count: Self.batch)
    return try await writes.perform { () async throws(ServiceFault) in
      let contents = try await contents(of: collection)
      var errors: [JSON] = []
      for id in ids {
        do throws(ServiceFault) {
          guard let geofence = contents.geofence(id, in: collection) else {
            throw .notFound("the geofence", id)
          }
          try await delete(geofence)
        } catch {
          errors.append(.object(["GeofenceId": .string(id), "Error": error.batchItem]))
        }
      }
      return .object(["Errors": .array(errors)])
    }
  }

  /// Deletes all geofences of a collection.
  func deleteAll(in collection: String) async throws(ServiceFault) {
    try await writes.perform { () async throws(ServiceFault) in
      for geofence in try await catalogue.contents().geofences(in: collection) {
        try await delete(geofence)
      }
    }
  }

  private func delete(_ geofence: Geofence) async throws(ServiceFault) {
    do throws(ServiceFault) {
      _ = try await node.ask(.deleteFence("\(geofence.row)"))
    } catch  where error.kind == .notFound {
      // Deleted meanwhile, or named twice in one request.
      return
    }
  }

  // MARK: Reading

  func get(_ call: Call) async throws(ServiceFault) -> JSON {
    let collection = try call.name("CollectionName")
    let id = try call.id("GeofenceId")
    guard let geofence = try await contents(of: collection).geofence(id, in: collection) else {
      throw .notFound("the geofence", id)
    }
    return .object(geofence.json)
  }

  func list(_ call: Call) async throws(ServiceFault) -> JSON {
    let collection = try call.name("CollectionName")
    let geofences = try await contents(of: collection).geofences(in: collection)
    let page = try Page(of: geofences, by: \.id, call.input)
    return .page("Entries", page.elements.map { .object($0.json) }, next: page.next)
  }

  /// Returns the fences. Throws if the collection does not exist.
  func contents(
    of collection: String
  ) async throws(ServiceFault) -> GeofenceCatalogue.Contents {
    let contents = try await catalogue.contents()
    guard
      collection == Geofence.ownCollection || contents.collections.contains(collection)
        || store.current.collections[collection] != nil
    else { throw .notFound("the collection", collection) }
    return contents
  }
}
