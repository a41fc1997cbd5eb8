import MusterModel
import MusterStore
import Testing

@Suite("Invites")
struct InviteTests {
  let store: Store
  let invite = Invite(
    id: InviteID(raw: name(1)), secret: [222, 173, 190, 239], role: .member, usesLeft: 2,
    expiresAt: Timestamp(milliseconds: 5000), createdAt: Timestamp(milliseconds: -1))

  init() throws {
    store = try Store.inMemory()
    try store.addInvite(invite)
  }

  @Test func `an invite is read as it was made`() throws {
    #expect(try store.invite(invite.id) == invite)
    #expect(try store.invites() == [invite])
    #expect(try store.invite(InviteID(raw: name(2))) == nil)
  }

  @Test func `a use counts once a device, however often it asks`() throws {
    #expect(try store.useInvite(invite.id, for: device(1)) == .counted(with(1)))
    #expect(try store.useInvite(invite.id, for: device(1)) == .repeated(with(1)))
    #expect(try store.useInvite(invite.id, for: device(2)) == .counted(with(0)))
    #expect(try store.invite(invite.id)?.usesLeft == 0)
  }

  @Test func `an exhausted invite admits no new device, and answers those it admitted`() throws {
    for number in 1...2 as ClosedRange<UInt64> {
      _ = try store.useInvite(invite.id, for: device(number))
    }

    #expect(try store.useInvite(invite.id, for: device(3)) == .exhausted(with(0)))
    #expect(try store.useInvite(invite.id, for: device(2)) == .repeated(with(0)))
  }

  @Test func `uses are counted per invite`() throws {
    let other = Invite(
      id: InviteID(raw: name(2)), secret: [1], role: .relay,
      user: UserID(raw: name(3)), revokedDevices: 7, usesLeft: 1,
      expiresAt: invite.expiresAt, createdAt: invite.createdAt)
    try store.addInvite(other)
    _ = try store.useInvite(invite.id, for: device(1))

    guard case .counted = try store.useInvite(other.id, for: device(1)) else {
      Issue.record("a device that used one invite may use another")
      return
    }
    #expect(try store.invite(invite.id)?.usesLeft == 1)
    #expect(try store.invite(other.id)?.user == other.user)
    #expect(try store.invite(other.id)?.revokedDevices == 7)
  }

  @Test func `adding an invite again gives no uses back`() throws {
    _ = try store.useInvite(invite.id, for: device(1))
    try store.addInvite(invite)
    #expect(try store.invite(invite.id)?.usesLeft == 1)
  }

  @Test func `an invite is withdrawn once, and stays so`() throws {
    let moment = Timestamp(milliseconds: 3000)
    try store.withdrawInvite(invite.id, at: moment)
    try store.withdrawInvite(invite.id, at: Timestamp(milliseconds: 4000))
    try store.addInvite(invite)
    #expect(try store.invite(invite.id)?.withdrawnAt == moment)
    try store.withdrawInvite(InviteID(raw: name(2)), at: moment)
    #expect(try store.invites().count == 1)
  }

  @Test func `an invite of another device is unknown`() throws {
    let other = try Store.inMemory()

    #expect(try other.useInvite(invite.id, for: device(1)) == .unknown)
    #expect(try other.invites().isEmpty)
  }

  @Test func `the secret is never printed`() {
    var dumped = ""
    dump(invite, to: &dumped)
    for text in ["\(invite)", String(reflecting: invite), dumped] {
      #expect(!text.contains("222"))
      #expect(!text.contains("dead"))
    }
  }

  private func device(_ number: UInt64) -> DeviceID { DeviceID(raw: name(number)) }

  private func with(_ usesLeft: UInt32) -> Invite {
    var invite = invite
    invite.usesLeft = usesLeft
    return invite
  }
}

@Suite("Remembered peers")
struct PeerTests {
  @Test func `what is known of an address is never lost`() throws {
    let store = try Store.inMemory()
    let device = DeviceID(raw: name(1))
    try store.rememberPeer(try peer(1, device: device, received: 50))
    try store.rememberPeer(try peer(1))
    try store.rememberPeer(try peer(1, received: 40))
    #expect(try store.peers() == [try peer(1, device: device, received: 50)])

    try store.rememberPeer(try peer(2))
    try store.rememberPeer(try peer(2, received: 60))
    #expect(
      try store.peers() == [try peer(2, received: 60), try peer(1, device: device, received: 50)])
  }

  @Test func `an address is identified by its port and its interface too`() throws {
    let store = try Store.inMemory()
    let local: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
    let endpoints = [
      try #require(Endpoint(address: local, port: 7474, scope: 2)),
      try #require(Endpoint(address: local, port: 7474, scope: 3)),
      try #require(Endpoint(address: local, port: 7475, scope: 2)),
    ]
    for endpoint in endpoints { try store.rememberPeer(RememberedPeer(endpoint: endpoint)) }
    #expect(Set(try store.peers().map(\.endpoint)) == Set(endpoints))
  }

  @Test func `a flood of unproved addresses drives out no real peer`() throws {
    let store = try Store.inMemory()
    let real = try peer(1, device: DeviceID(raw: name(1)), received: 1)
    try store.rememberPeer(real)
    for number in 2...Limits.peers + 50 {
      try store.rememberPeer(try peer(number, received: Int64(number)))
    }
    let kept = try store.peers()
    #expect(kept.count == Limits.peers)
    #expect(kept.contains(real))
    #expect(kept.first == (try peer(Limits.peers + 50, received: Int64(Limits.peers + 50))))
  }

  private func peer(
    _ number: Int, device: DeviceID? = nil, received: Int64? = nil
  ) throws -> RememberedPeer {
    let address: [UInt8] = [10, 0, UInt8(number >> 8), UInt8(number & 255)]
    return RememberedPeer(
      endpoint: try #require(Endpoint(address: address, port: 7474)), device: device,
      lastReceived: received.map(Timestamp.init(milliseconds:)))
  }
}
