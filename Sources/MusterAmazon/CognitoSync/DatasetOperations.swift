internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The operations of Cognito Sync on data sets, and on how much a user has stored.
struct DatasetOperations: Sendable {
  let node: Node
  let pool: OperationID

  private static let mostPerPage = 60

  // MARK: Data sets

  func list(of user: UserID, _ call: Call) async throws(ServiceFault) -> JSON {
    let limit = try call.limit(most: Self.mostPerPage)
    let after = try call.parameter("nextToken").map { token throws(ServiceFault) in
      try SyncToken.dataset(token, user)
    }
    let live = try await live(of: user).filter { dataset in
      after.map { $0.utf8.lexicographicallyPrecedes(dataset.name.utf8) } ?? true
    }
    let page = live.prefix(limit)
    let json = JSON.object([
      "Datasets": .array(page.map { Self.json($0, of: user) }), "Count": .count(page.count),
    ])
    guard live.count > limit, let last = page.last else { return json }
    return json.adding(["NextToken": .string(SyncToken.datasets(user, after: last.name))])
  }

  func describe(of user: UserID, _ call: Call) async throws(ServiceFault) -> JSON {
    let name = try SyncIdentity.dataset(call.segment("dataset"))
    guard let dataset = try await live(of: user).first(where: { $0.name == name }) else {
      throw .notFound("the data set", name)
    }
    return .object(["Dataset": Self.json(dataset, of: user)])
  }

  func delete(of user: UserID, _ call: Call) async throws(ServiceFault) -> JSON {
    let name = try SyncIdentity.dataset(call.segment("dataset"))
    do {
      try await Self.requireOwn(user, at: node)
      let deleted = try await UserRecords.delete(name, at: node)
      return .object(["Dataset": .known(deleted) { Self.json($0, of: user) }])
    } catch let fault as ServiceFault {
      throw fault
    } catch {
      throw ServiceFault(refusing: error)
    }
  }

  private func live(of user: UserID) async throws(ServiceFault) -> [RecordDataset] {
    do {
      return try await UserRecords.datasets(of: user, at: node).filter { $0.recordCount > 0 }
    } catch {
      throw ServiceFault(refusing: error)
    }
  }

  private static func json(_ dataset: RecordDataset, of user: UserID) -> JSON {
    .object([
      "IdentityId": .string(SyncIdentity.identity(user)), "DatasetName": .string(dataset.name),
      "CreationDate": .epoch(dataset.createdAt), "LastModifiedDate": .epoch(dataset.modifiedAt),
      "LastModifiedBy": .string(SyncIdentity.identity(user)),
      "DataStorage": .count(dataset.bytes), "NumRecords": .count(dataset.recordCount),
    ])
  }

  /// Throws unless the node's device belongs to a user, whose records only such a device signs.
  static func requireOwn(_ user: UserID, at node: Node) async throws {
    guard try await node.user() == user else {
      throw ServiceFault(
        .accessDenied, "records are written at a device of their user: here they can be read only")
    }
  }

  // MARK: Usage

  func usage(of user: UserID) async throws(ServiceFault) -> JSON {
    let live = try await live(of: user)
    return .object([
      "IdentityUsage": .object([
        "IdentityId": .string(SyncIdentity.identity(user)),
        "IdentityPoolId": .string(SyncIdentity.pool(pool)),
        "LastModifiedDate": Self.newest(live), "DatasetCount": .count(live.count),
        "DataStorage": .count(live.reduce(0) { $0 + $1.bytes }),
      ])
    ])
  }

  func poolUsage(of user: UserID) async throws(ServiceFault) -> JSON {
    .object(["IdentityPoolUsage": try await ofPool(user)])
  }

  func poolUsages(of user: UserID, _ call: Call) async throws(ServiceFault) -> JSON {
    let limit = try call.limit(most: Self.mostPerPage)
    guard try call.parameter("nextToken") == nil else {
      throw .invalid("NextToken", "is no token of this list")
    }
    return .object([
      "IdentityPoolUsages": .array([try await ofPool(user)]), "MaxResults": .count(limit),
      "Count": .count(1),
    ])
  }

  /// What the caller has stored: other identities of the pool are not the caller's.
  private func ofPool(_ user: UserID) async throws(ServiceFault) -> JSON {
    let live = try await live(of: user)
    return .object([
      "IdentityPoolId": .string(SyncIdentity.pool(pool)), "LastModifiedDate": Self.newest(live),
      "DataStorage": .count(live.reduce(0) { $0 + $1.bytes }),
    ])
  }

  private static func newest(_ datasets: [RecordDataset]) -> JSON {
    .known(datasets.map(\.modifiedAt).max(), JSON.epoch)
  }
}

extension Call {
  /// Returns a parameter of the query; nil if it is missing.
  func parameter(_ name: String) throws(ServiceFault) -> String? {
    let values = values(of: name)
    guard values.count <= 1 else { throw .invalid(name, "is given more than once") }
    return values.first
  }

  /// Returns an integer in the query; nil if it is missing.
  func integer(_ name: String, in range: ClosedRange<Int64>) throws(ServiceFault) -> Int64? {
    guard let text = try parameter(name) else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw .invalid(name, "must be an integer from \(range.lowerBound)")
    }
    return number
  }

  /// The page size that the caller wants, at most `most`.
  func limit(most: Int) throws(ServiceFault) -> Int {
    Int(min(try integer("maxResults", in: 1...Int64(Int32.max)) ?? .max, Int64(most)))
  }
}

extension JSON {
  /// Seconds since 1970, as Cognito Sync states times.
  static func epoch(_ time: Timestamp) -> JSON { .real(Double(time.milliseconds) / 1000) }
}
