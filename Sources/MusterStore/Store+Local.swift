internal import GRDB
public import MusterModel

extension Store {
  /// All epoch keys that this node holds, by id.
  public func epochKeys() throws(StoreError) -> [StoredEpochKey] {
    try read(LocalTable.epochKeys)
  }

  /// Certificates that devices showed, by hash.
  public func shownCertificates() throws(StoreError) -> [StoredCertificate] {
    try read(LocalTable.certificates)
  }

  /// A small local fact; nil where none was set. It is set by a `Batch`.
  public func local(_ key: String) throws(StoreError) -> [UInt8]? {
    try read { try LocalTable.value(key, in: $0) }
  }

  /// This node's own fixes after a place in the order in which they were taken, with their places.
  public func fixes(
    after place: Int64, limit: Int
  ) throws(StoreError) -> [(place: Int64, report: PositionReport)] {
    try read { try LocalTable.fixes(after: place, limit: limit, in: $0) }
  }

  /// The place of the newest fix; 0 where there is none.
  public func newestFixPlace() throws(StoreError) -> Int64 {
    try read(LocalTable.newestFixPlace)
  }

  /// The newest fixes of a tracker that this node speaks for, by sample time.
  public func track(ofTracker tracker: RowID, limit: Int) throws(StoreError) -> [PositionReport] {
    try read { try LocalTable.track(ofTracker: tracker, limit: limit, in: $0) }
  }

  /// This node's own fixes of a time, by sample time.
  public func track(_ range: ClosedRange<Timestamp>) throws(StoreError) -> [PositionReport] {
    try read { try LocalTable.track(range, in: $0) }
  }
}

// MARK: - Invites

extension Store {
  /// Keeps an invite; one that is held keeps its uses.
  public func addInvite(_ invite: Invite) throws(StoreError) {
    try write { try InviteTable.insert(invite, in: $0) }
  }

  /// Nil for one that this device did not make, or withdrew. Whether it has expired is for the
  /// caller, who has the clock, to judge.
  public func invite(_ id: InviteID) throws(StoreError) -> Invite? {
    try read { try InviteTable.invite(id, in: $0) }
  }

  /// Oldest first.
  public func invites() throws(StoreError) -> [Invite] {
    try read(InviteTable.invites)
  }

  /// Withdraws an invite; those who joined by it stay.
  public func deleteInvite(_ id: InviteID) throws(StoreError) {
    try write { try InviteTable.delete(id, in: $0) }
  }

  /// Devices that have used an invite, by id.
  public func devices(admittedBy id: InviteID) throws(StoreError) -> [DeviceID] {
    try read { try InviteTable.admitted(by: id, in: $0) }
  }

  /// Takes one use of an invite for a device, once however often the device asks: its answer may
  /// be lost, or this node may stop between this and the certificate.
  public func useInvite(_ id: InviteID, for device: DeviceID) throws(StoreError) -> InviteUse {
    try write { database in
      guard var invite = try InviteTable.invite(id, in: database) else { return .unknown }
      if try InviteTable.hasAdmitted(device, by: id, in: database) { return .repeated(invite) }
      guard invite.usesLeft > 0 else { return .exhausted(invite) }
      try InviteTable.admit(device, by: id, in: database)
      invite.usesLeft -= 1
      return .counted(invite)
    }
  }
}

// MARK: - Peers

extension Store {
  /// Remembers an address, adding to what is known of it. Of more than `Limits.peers`, those that
  /// nobody proved to be at go first, then those heard longest ago.
  public func rememberPeer(_ peer: RememberedPeer) throws(StoreError) {
    try write {
      try PeerTable.remember(peer, in: $0)
      try PeerTable.trim(to: Limits.peers, in: $0)
    }
  }

  /// Forgets an address, as when its device is revoked.
  public func forgetPeer(_ endpoint: Endpoint) throws(StoreError) {
    try write { try PeerTable.forget(endpoint, in: $0) }
  }

  /// Those heard most recently first.
  public func peers() throws(StoreError) -> [RememberedPeer] {
    try read(PeerTable.peers)
  }
}
