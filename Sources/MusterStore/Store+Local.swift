internal import GRDB
public import MusterModel

extension Store {
  /// Returns all stored epoch keys, by id.
  public func epochKeys() throws(StoreError) -> [StoredEpochKey] {
    try read(LocalTable.epochKeys)
  }

  /// Returns the certificates that devices presented, by hash.
  public func shownCertificates() throws(StoreError) -> [StoredCertificate] {
    try read(LocalTable.certificates)
  }

  /// Returns the membership evidence, by id.
  public func evidence() throws(StoreError) -> [StoredEvidence] {
    try read(LocalTable.evidence)
  }

  /// Returns a local setting; nil if it is not set. A `Batch` sets it.
  public func local(_ key: String) throws(StoreError) -> [UInt8]? {
    try read { try LocalTable.value(key, in: $0) }
  }

  /// Returns this node's own fixes after a place, in the order in which they were stored, with
  /// their places.
  public func fixes(
    after place: Int64, limit: Int
  ) throws(StoreError) -> [(place: Int64, report: PositionReport)] {
    try read { try LocalTable.fixes(after: place, limit: limit, in: $0) }
  }

  /// Returns the place of the newest fix; 0 if there is none.
  public func newestFixPlace() throws(StoreError) -> Int64 {
    try read(LocalTable.newestFixPlace)
  }

  /// Returns the newest fixes of a tracker for which this node publishes, by sample time.
  public func track(ofTracker tracker: RowID, limit: Int) throws(StoreError) -> [PositionReport] {
    try read { try LocalTable.track(ofTracker: tracker, limit: limit, in: $0) }
  }

  /// Returns this node's own fixes in a time range, by sample time.
  public func track(_ range: ClosedRange<Timestamp>) throws(StoreError) -> [PositionReport] {
    try read { try LocalTable.track(range, in: $0) }
  }
}

// MARK: - Invites

extension Store {
  /// Stores an invite. A stored one keeps its uses.
  public func addInvite(_ invite: Invite) throws(StoreError) {
    try write { try InviteTable.insert(invite, in: $0) }
  }

  /// Returns an invite; nil if this device did not create it. The caller, who has
  /// the clock, checks its expiry.
  public func invite(_ id: InviteID) throws(StoreError) -> Invite? {
    try read { try InviteTable.invite(id, in: $0) }
  }

  /// Returns all invites, oldest first.
  public func invites() throws(StoreError) -> [Invite] {
    try read(InviteTable.invites)
  }

  /// Returns the devices that have used an invite, by id.
  public func devices(admittedBy id: InviteID) throws(StoreError) -> [DeviceID] {
    try read { try InviteTable.admitted(by: id, in: $0) }
  }

  /// Withdraws an invite for good; all of them without an id.
  public func withdrawInvite(_ id: InviteID?, at moment: Timestamp) throws(StoreError) {
    try write { try InviteTable.withdraw(id, at: moment, in: $0) }
  }

  /// Takes one use of an invite for a device. Idempotent per device: its answer may be lost, or
  /// this node may stop before the certificate is issued.
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
  /// Stores an address, or updates a stored one. Beyond `Limits.peers`, unauthenticated addresses
  /// are deleted first, then those received longest ago.
  public func rememberPeer(_ peer: RememberedPeer) throws(StoreError) {
    try write {
      try PeerTable.remember(peer, in: $0)
      try PeerTable.trim(to: Limits.peers, in: $0)
    }
  }

  /// Returns the stored addresses, those received most recently first.
  public func peers() throws(StoreError) -> [RememberedPeer] {
    try read(PeerTable.peers)
  }
}
