public import MusterModel
public import MusterReplica
public import MusterTransport

/// Why a command was refused, for programs.
public typealias RefusalKind = Refusal.Kind

extension Reply {
  /// What an error of the node says to whoever asked. A failing disk is no fault of theirs.
  public static func refused(_ error: any Error) -> Reply {
    switch error {
    case let refusal as Refusal: .refused(refusal.description, refusal.kind)
    case NodeError.changed(let reason): .refused(reason, .changed)
    case NodeError.refused(let reason): .refused(reason, .unfit)
    default: .refused("\(error)", .notNow)
    }
  }
}

/// What programs ask that are served over HTTP, besides commands.
extension Node {
  /// What of a set is new to a reader.
  public typealias News = ChangeLog.News

  /// How often each set has changed by now. Whoever has been answered that something was written
  /// finds it counted.
  public nonisolated var changeCounts: ChangeCounts { tally.counts }

  /// What datagrams were sent and received; nil for a node without a transport.
  public nonisolated var transportCounters: TransportCounters? { transport?.counters }

  /// Names what people have written into a row: two answers alike mean that nothing was written
  /// between them. Throws `Refusal` for a row that is not here.
  public func version(of kind: EntityKind, named reference: String) throws -> String {
    try read { replica, now in
      let id = try replica.row(kind, named: reference)
      return try replica.version(of: RowKey(kind: kind, id: id), now: now)
    }
  }

  /// Active fences that a place lies in, by name.
  public func fences(around place: Coordinate) throws -> [FenceSummary] {
    try read { replica, _ in try replica.fences(around: place) }
  }

  /// What is known here of somebody's way, by sample time: what they published, and of this node's
  /// own user what was kept. Somebody is named by callsign or id.
  ///
  /// - Parameter limit: of the newest.
  public func track(of user: String, limit: Int) throws -> [Fix] {
    try read { replica, now in
      let user = try replica.user(named: user, now: now)
      return try replica.track(of: user, limit: limit)
    }
  }

  /// The highest arrival number that a crossing was ever given here, 0 before the first: what
  /// comes later has a higher one.
  public func newestArrival() throws -> Int64 {
    try read { replica, _ in try replica.newestArrival() }
  }

  /// The operation that this node is of.
  public func operation() throws -> OperationID { try read { replica, _ in replica.operation } }

  /// This node's device: the source of what it tells.
  public func device() throws -> DeviceID { try read { replica, _ in replica.device } }
}
