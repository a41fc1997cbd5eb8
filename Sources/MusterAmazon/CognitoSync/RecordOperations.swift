internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The operations of Cognito Sync on the records of a data set.
struct RecordOperations: Sendable {
  let node: Node

  private static let mostPerPage = Limits.recordsPerDataset
  private static let mostPatches = Limits.recordsPerDataset
  /// Characters of a key, and of a value as the service accepts it.
  private static let keys = 1...1024
  private static let values = 0...1_048_575
  private static let operations = ["replace", "remove"]
  /// Every number in JSON can hold the greatest count.
  private static let counts = 0...Int(Limits.recordSyncCount)

  // MARK: Reading

  /// Lists what changed after `LastSyncCount`, removed records without a value. A count that this
  /// node has not reached is one of another node: then everything is listed.
  func list(of user: UserID, _ call: Call) async throws(ServiceFault) -> JSON {
    let name = try SyncIdentity.dataset(call.segment("dataset"))
    let limit = try call.limit(most: Self.mostPerPage)
    let given = try call.integer("lastSyncCount", in: 0...Int64(Limits.recordSyncCount)) ?? 0
    if let token = try call.parameter("syncSessionToken") {
      try SyncToken.requireSession(token, user, name, now: call.now)
    }
    let next = try call.parameter("nextToken").map { token throws(ServiceFault) in
      try SyncToken.position(token, user, name)
    }
    let last = UInt64(given)
    var (page, dataset) = try await records(
      of: user, in: name, after: next ?? RecordIndexPosition(syncCount: last), limit: limit)
    if next == nil, last > dataset?.syncCount ?? 0 {
      (page, dataset) = try await records(
        of: user, in: name, after: RecordIndexPosition(syncCount: 0), limit: limit)
    }
    let exists = (dataset?.recordCount ?? 0) > 0
    let count = dataset?.syncCount ?? 0
    var members: [String: JSON] = [
      "Records": .array(page.records.map { Self.json($0, of: user) }),
      "Count": .count(page.records.count), "DatasetSyncCount": .unsigned(count),
      "LastModifiedBy": .string(SyncIdentity.identity(user)), "MergedDatasetNames": .array([]),
      "DatasetExists": .bool(exists),
      "DatasetDeletedAfterRequestedSyncCount": .bool(!exists && 0 < last && last < count),
      "SyncSessionToken": .string(SyncToken.session(user, name, now: call.now)),
    ]
    if let next = page.next {
      members["NextToken"] = .string(SyncToken.page(user, name, after: next))
    }
    return .object(members)
  }

  private func records(
    of user: UserID, in dataset: String, after position: RecordIndexPosition, limit: Int
  ) async throws(ServiceFault) -> (RecordPage, RecordDataset?) {
    do {
      return try await UserRecords.page(
        of: user, in: dataset, after: position, limit: limit, at: node)
    } catch {
      throw ServiceFault(refusing: error)
    }
  }

  private static func json(_ record: RecordSummary, of user: UserID) -> JSON {
    var members: [String: JSON] = [
      "Key": .string(record.key), "SyncCount": .unsigned(record.syncCount),
      "LastModifiedDate": .epoch(record.writtenAt),
      "LastModifiedBy": .string(SyncIdentity.identity(user)),
      "DeviceLastModifiedDate": .epoch(record.modifiedAt),
    ]
    if let value = record.value { members["Value"] = .string(value) }
    return .object(members)
  }

  // MARK: Writing

  /// Writes all patches or none. A patch whose record has another sync count here than the client
  /// has seen is a conflict.
  func update(of user: UserID, _ call: Call) async throws(ServiceFault) -> JSON {
    let name = try SyncIdentity.dataset(call.segment("dataset"))
    let input = call.input
    let token = try input.required(
      "SyncSessionToken", input.text("SyncSessionToken", length: 1...2000))
    _ = try input.text("DeviceId", length: 1...256)
    let patches = try input.objects("RecordPatches", count: 0...Self.mostPatches) ?? []
    var changes: [RecordChange] = []
    for patch in patches { changes.append(try Self.change(patch)) }
    guard Set(changes.map { Array($0.key.utf8) }).count == changes.count else {
      throw .invalid("RecordPatches", "must name each key once")
    }
    try SyncToken.requireSession(token, user, name, now: call.now)
    try Self.requireShort(changes)
    do {
      try await DatasetOperations.requireOwn(user, at: node)
      let records = try await UserRecords.update(name, changes, at: node)
      return .object(["Records": .array(records.map { Self.json($0, of: user) })])
    } catch let fault as ServiceFault {
      throw fault
    } catch {
      let fault = ServiceFault(refusing: error)
      // The request itself is right: the user has as much as is permitted.
      guard case .validation = fault.kind else { throw fault }
      throw ServiceFault(.quotaExceeded, fault.message)
    }
  }

  private static func change(_ patch: Input) throws(ServiceFault) -> RecordChange {
    let operation = try patch.required("Op", patch.choice("Op", operations))
    let key = try patch.required("Key", patch.text("Key", length: keys))
    guard key.utf8.count <= Limits.recordKeyBytes else {
      throw .invalid("Key", "must have at most \(Limits.recordKeyBytes) bytes in UTF-8")
    }
    let count = try patch.required("SyncCount", patch.integer("SyncCount", in: counts))
    let value = try patch.text("Value", length: values)
    let time = try patch.epoch("DeviceLastModifiedDate")
    let isRemoval = operation == "remove"
    return RecordChange(
      key: key, value: isRemoval ? nil : try patch.required("Value", value),
      seenCount: UInt64(count), modifiedAt: time)
  }

  /// The service has room for longer values.
  private static func requireShort(_ changes: [RecordChange]) throws(ServiceFault) {
    for change in changes where (change.value?.utf8.count ?? 0) > Limits.recordValueBytes {
      throw ServiceFault(
        .quotaExceeded, "a value has at most \(Limits.recordValueBytes) bytes: split it")
    }
  }
}

extension Input {
  /// Returns a time that is given as seconds since 1970.
  fileprivate func epoch(_ member: String) throws(ServiceFault) -> Timestamp? {
    guard let seconds = try number(member, in: -9.9e11...9.9e11) else { return nil }
    let time = Timestamp(milliseconds: Int64((seconds * 1000).rounded()))
    guard Timestamp.writable.contains(time) else {
      throw .invalid(path(of: member), "must be a time in seconds since 1970")
    }
    return time
  }
}
