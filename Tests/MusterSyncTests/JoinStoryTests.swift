import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

@Suite("Joining over the network")
struct JoinStoryTests {
  /// A founder that has created an invite, and a client with it.
  private struct Newcomer {
    var world: World
    let invitation: Invitation
    var joiner: JoinInitiator
    let address = Station.endpoint(9)
    /// What the founder sent to the joiner and has not arrived.
    var steps: [JoinInitiator.Step] = []
    private var received = 0

    init(seed: UInt64, secret: [UInt8]? = nil) {
      world = World(seed: seed)
      world.hasMulticast = false
      world.found()
      let real = [UInt8](repeating: 7, count: Invitation.secretBytes)
      let open = OpenInvite(id: InviteID(secret: real), secret: real)
      world.stations[0].invites = [open]
      world.give(.invitesChanged([open]), to: 0)
      invitation = Invitation(
        rootKey: world.cast.rootKey.publicKey, secret: secret ?? real, role: .member,
        expiresAt: Timestamp(milliseconds: 0), operationName: "Ridge fire",
        endpoints: [world.stations[0].endpoint])
      joiner = JoinInitiator(
        invitation: invitation, at: nil, signingKey: world.cast.random.signingKey(),
        agreementKey: world.cast.random.agreementKey(), seed: Cast.seed(99), now: world.now)
      world.tap = []
    }

    /// Lets time pass in steps of 100 ms. The n-th datagram either way passes if `passes(n)`.
    mutating func run(milliseconds: Int64, delay: Int = 0, passes: (Int) -> Bool = { _ in true }) {
      var late: [(due: Int, bytes: [UInt8])] = []
      for tick in 0..<Int(milliseconds / 100) {
        steps += joiner.passDeadline(now: world.now)
        exchange(tick, delay, &late, passes)
        world.run(seconds: 0)
        world.now = world.now.advanced(byMilliseconds: 100)
      }
    }

    private mutating func exchange(
      _ tick: Int, _ delay: Int, _ late: inout [(due: Int, bytes: [UInt8])],
      _ passes: (Int) -> Bool
    ) {
      for case .send(let bytes, _) in steps {
        received += 1
        if passes(received) { world.inject(bytes, from: address, to: 0) }
      }
      steps.removeAll { if case .send = $0 { true } else { false } }
      for sent in world.tap ?? [] where sent.to == address {
        received += 1
        if passes(received) { late.append((tick + delay, sent.bytes)) }
      }
      world.tap = []
      for arrival in late where arrival.due <= tick {
        steps += joiner.receive(
          arrival.bytes, from: world.stations[0].endpoint, now: world.now)
      }
      late.removeAll { $0.due <= tick }
    }

    var grant: JoinGrant? {
      for case .granted(let grant) in steps { return grant }
      return nil
    }

    /// Certificates in the founder's own control log.
    var admissions: Int {
      let log = world.stations[0].pen.log(.control)
      return max(0, (world.stations[0].logIndex.frames[log]?.count ?? 1) - 1)
    }
  }

  @Test func `an invitation leads to a certificate`() {
    var doorstep = Newcomer(seed: 40)
    doorstep.run(milliseconds: 1000)
    #expect(doorstep.grant?.chain.count == 2)
    #expect(doorstep.grant?.networkKey == doorstep.world.cast.networkKey.export())
    #expect(doorstep.grant?.epochKeys == [doorstep.world.cast.epoch])
    #expect(doorstep.joiner.nextDeadline == nil)
    #expect(doorstep.admissions == 1)
  }

  @Test(arguments: 1...4)
  func `whichever datagram is lost, the joiner is admitted once`(lost: Int) {
    // The initiation, the response, the finish, the answer
    var doorstep = Newcomer(seed: 41)
    doorstep.run(milliseconds: 3000) { $0 != lost }
    #expect(doorstep.grant != nil)
    #expect(doorstep.admissions == 1)
  }

  @Test func `an answer that takes longer than the joiner's patience still counts`() {
    // Given a link on which every answer takes 1.5 s
    var doorstep = Newcomer(seed: 42)
    doorstep.run(milliseconds: 6000, delay: 15)
    #expect(doorstep.grant != nil)
    #expect(doorstep.admissions == 1)
  }

  @Test func `a joiner starts again after the inviting device restarts`() {
    // Given a joiner whose finish was lost before the inviting device restarted
    var doorstep = Newcomer(seed: 43)
    doorstep.run(milliseconds: 1000) { $0 <= 2 }
    doorstep.world.restart(0, remembering: [])
    doorstep.run(milliseconds: 20_000)
    #expect(doorstep.grant != nil)
  }

  @Test func `a wrong secret gets silence`() {
    var doorstep = Newcomer(seed: 44, secret: [UInt8](repeating: 8, count: 16))
    let sent = doorstep.world.stations[0].sentDatagrams
    doorstep.run(milliseconds: 5000)
    #expect(doorstep.grant == nil)
    #expect(doorstep.world.stations[0].rejections(.unknownInvite) == 10)
    let said = doorstep.world.stations[0].sentDatagrams - sent
    #expect(said <= 4, "announces at most")
    #expect(doorstep.world.stations[0].engine.handshaker.count == 0)
  }

  @Test func `another device's certificate at the address is rejected`() throws {
    // Given an invitation of another root, answered by a device that knows the secret
    var doorstep = Newcomer(seed: 45)
    let other = Cast(seed: 46)
    let invitation = Invitation(
      rootKey: other.rootKey.publicKey, secret: doorstep.invitation.secret, role: .member,
      expiresAt: Timestamp(milliseconds: 0), operationName: "Ridge fire",
      endpoints: doorstep.invitation.endpoints)
    doorstep.joiner = JoinInitiator(
      invitation: invitation, at: nil, signingKey: doorstep.world.cast.random.signingKey(),
      agreementKey: doorstep.world.cast.random.agreementKey(), seed: Cast.seed(98),
      now: doorstep.world.now)
    doorstep.run(milliseconds: 5000)
    #expect(doorstep.grant == nil)
    #expect(doorstep.admissions == 0)
  }
}
