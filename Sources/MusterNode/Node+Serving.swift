public import MusterModel
public import MusterReplica
public import MusterTransport

/// Why a command was rejected, for programs.
public typealias RefusalKind = Refusal.Kind

extension Reply {
  /// Returns the reply for an error of the node. A failing disk is not the client's fault.
  public static func refused(_ error: any Error) -> Reply {
    switch error {
    case let refusal as Refusal: .refused(refusal.description, refusal.kind)
    case NodeError.refused(let reason): .refused(reason, .unfit)
    default: .refused("\(error)", .notNow)
    }
  }
}

/// The interface of the HTTP server besides commands.
extension Node {
  /// The changes of a data set since a count.
  public typealias MissedChanges = ChangeLog.MissedChanges

  /// How often each data set has changed. A client that has received a reply to a write finds it
  /// counted.
  public nonisolated var changeCounts: ChangeCounts { tally.counts }

  /// Counts of datagrams sent and received; nil for a node without a transport.
  public nonisolated var transportCounters: TransportCounters? { ports.transport?.counters }

  /// Returns a version of a row: two equal versions mean that nothing was written to it in between.
  /// Throws `Refusal` for an unknown row.
  public func version(of kind: EntityKind, named reference: String) throws -> String {
    try read { replica, now in
      let id = try replica.queries.row(kind, named: reference)
      return try replica.version(of: RowKey(kind: kind, id: id), now: now)
    }
  }

  /// Returns a crossing; nil if it is not here.
  public func crossing(_ id: CrossingID) throws -> CrossingSummary? {
    try read { replica, _ in try replica.queries.crossing(id) }
  }

  /// Returns the highest arrival number that a crossing ever had here, 0 before the first: later
  /// ones have higher numbers.
  public func newestArrival() throws -> Int64 {
    try read { replica, _ in try replica.queries.newestArrival() }
  }

  /// Returns the first crossings of an author between two arrival numbers.
  ///
  /// - Parameters:
  ///   - arrival: only those with a greater number.
  ///   - last: the greatest number.
  public func crossings(
    after arrival: Int64, upTo last: Int64, by author: DeviceID, limit: Int
  ) throws -> [CrossingSummary] {
    try read { replica, _ in
      try replica.queries.crossings(after: arrival, upTo: last, by: author, limit: limit)
    }
  }

  /// Returns who wrote the crossings after an arrival number, by arrival number.
  public func crossingAuthors(
    after arrival: Int64, limit: Int
  ) throws -> [(arrival: Int64, author: DeviceID)] {
    try read { replica, _ in
      try replica.queries.crossingAuthors(after: arrival, limit: limit)
    }
  }

  /// Returns the operation of this node.
  public func operation() throws -> OperationID { try read { replica, _ in replica.operation } }

  /// Returns this node's device, the source of its data.
  public func device() throws -> DeviceID { try read { replica, _ in replica.device } }

  /// Returns the user of this node's device.
  public func user() throws -> UserID { try read { replica, _ in replica.user } }

  /// Returns whether a user has a device that is not revoked and has not signed off.
  public func isActive(_ user: UserID) throws -> Bool {
    try read { replica, _ in try replica.queries.isActive(user) }
  }

  /// Returns whether a person has signed off, and how many of their devices are revoked.
  public func withdrawals(of user: UserID) throws -> (hasSignedOff: Bool, revokedDevices: Int) {
    try read { replica, _ in
      (try replica.queries.hasSignedOff(user), replica.queries.revokedDeviceCount(of: user))
    }
  }

  /// Returns the role of this node's device.
  public func role() throws -> Role { try read { replica, _ in replica.role } }
}
