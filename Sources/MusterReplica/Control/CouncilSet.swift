internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// The endorsements of councils and the votes that are held: a set of its own, which no cut, fork
/// or revocation reduces.
///
/// - Only what a member of a counting council, or the root key, signed is added.
/// - Bounded for each member. One who signs more than an honest member ever does is *saturated*: of
///   what they signed, the lowest ids that prove so are kept, and from then on they count as having
///   endorsed every child, or as excluding every frame of the device. So what is kept, and what
///   follows from it, does not depend on the order of arrival, and further items change nothing.
struct CouncilSet: Hashable, Sendable {
  /// A member of a council.
  struct Seat: Hashable, Sendable {
    let council: CouncilHash
    let member: CertificateHash
  }

  /// What one member votes on.
  struct Ballot: Hashable, Sendable {
    let seat: Seat
    let device: DeviceID
  }

  /// What became of an item.
  enum Verdict: Hashable, Sendable {
    /// It is held from now on, in place of another of the same member if there are too many.
    case added(evicting: EvidenceItem?)
    /// Held already, or it changes nothing.
    case known
    /// The council that it names does not count, or not yet.
    case waits
    case refused
  }

  /// By parent and signer.
  private var endorsements: [Seat: [Endorsement]] = [:]
  private var votes: [Ballot: [SignedVote]] = [:]
  /// The councils that count, those that were replaced included.
  private(set) var counting: [CouncilHash: Council] = [:]
  /// The members of these, by certificate.
  private(set) var listed: [CertificateHash: ListedCertificate] = [:]
  /// How many held votes name each frame as the last that counts.
  private var named: [Head: Int] = [:]

  // MARK: Adding

  /// - Parameter endorsement: the caller MUST have verified it.
  mutating func insert(_ endorsement: Endorsement) -> Verdict {
    let (council, seat) = (endorsement.council, endorsement.seat)
    let held = (endorsements[seat] ?? []).map(\.id)
    guard !isHeld(endorsement.id, among: held, endorsementBound(seat)) else { return .known }
    if council.parent != .root {
      guard let parent = counting[council.parent] else { return .waits }
      guard parent.members.contains(endorsement.signer), parent.serial == council.serial else {
        return .refused
      }
    }
    return .added(evicting: restore(endorsement).map(EvidenceItem.init))
  }

  /// - Parameter signed: the caller MUST have verified it.
  mutating func insert(_ signed: SignedVote) -> Verdict {
    let (vote, ballot) = (signed.vote, signed.ballot)
    let held = (votes[ballot] ?? []).map(\.id)
    guard !isHeld(signed.id, among: held, Limits.votesPerTarget) else { return .known }
    guard let council = counting[vote.council] else { return .waits }
    guard council.members.contains(vote.voter),
      lists(vote.device, in: council)
    else {
      return .refused
    }
    return .added(evicting: restore(signed).map(EvidenceItem.init))
  }

  /// Adds what was accepted before; returns what is no longer held.
  @discardableResult
  mutating func restore(_ endorsement: Endorsement) -> Endorsement? {
    let seat = endorsement.seat
    let evicted = Self.keepLowest(
      endorsement, in: &endorsements[seat, default: []], endorsementBound(seat), by: \.id)
    count()
    return evicted
  }

  /// Adds what was accepted before; returns what is no longer held.
  @discardableResult
  mutating func restore(_ signed: SignedVote) -> SignedVote? {
    let before = votes[signed.ballot]?.count ?? 0
    let evicted = Self.keepLowest(
      signed, in: &votes[signed.ballot, default: []], Limits.votesPerTarget, by: \.id)
    if evicted != nil || votes[signed.ballot]?.count != before {
      for cut in signed.vote.revocation.cuts { named[cut, default: 0] += 1 }
    }
    for cut in evicted?.vote.revocation.cuts ?? [] {
      named[cut] = named[cut].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
    return evicted
  }

  /// The root key, which no council bounds, may make as many as there is room for.
  private func endorsementBound(_ seat: Seat) -> Int {
    seat.council == .root ? .max - 1 : Limits.endorsementsPerMember
  }

  /// Whether an id is held, or would not be kept among the lowest.
  private func isHeld(_ id: Bytes32, among ids: [Bytes32], _ bound: Int) -> Bool {
    ids.contains(id) || ids.count > bound && ids.allSatisfy { $0 < id }
  }

  /// One more than the bound is kept, as proof that it was exceeded.
  private static func keepLowest<Item>(
    _ item: Item, in items: inout [Item], _ bound: Int, by id: KeyPath<Item, Bytes32>
  ) -> Item? {
    guard !items.contains(where: { $0[keyPath: id] == item[keyPath: id] }) else { return nil }
    items.append(item)
    items.sort { $0[keyPath: id] < $1[keyPath: id] }
    return items.count > bound + 1 ? items.removeLast() : nil
  }

  // MARK: Which councils count

  /// A child counts once a quorum of its parent, which counts, endorses it.
  private mutating func count() {
    counting = [:]
    for signed in endorsements.values.joined() where signed.council.parent == .root {
      counting[signed.hash] = signed.council
    }
    let children = Dictionary(
      endorsements.values.joined().filter { $0.council.parent != .root }
        .map { ($0.hash, $0.council) }
    ) { first, _ in first }
    var hasGrown = true
    while hasGrown {
      hasGrown = false
      for (hash, council) in children where counting[hash] == nil {
        guard let parent = counting[council.parent] else { continue }
        let voices = endorsers(of: hash, council)
        guard voices.count >= parent.quorum else { continue }
        counting[hash] = council
        hasGrown = true
      }
    }
    listed = [:]
    for signed in allEndorsements where counting[signed.hash] != nil {
      for member in signed.council.members {
        guard let chain = signed.certificates.chain(of: member) else { continue }
        listed[member] = ListedCertificate(chain: chain)
      }
    }
  }

  /// How many councils under another one a member has endorsed.
  func endorsements(by member: CertificateHash, under parent: CouncilHash) -> Int {
    endorsements[Seat(council: parent, member: member)]?.count ?? 0
  }

  /// The members of its parent who endorse a council, in ascending order.
  func endorsers(of hash: CouncilHash, _ council: Council) -> [CertificateHash] {
    (counting[council.parent]?.members ?? []).filter { member in
      let signed = endorsements[Seat(council: council.parent, member: member)] ?? []
      return signed.count > Limits.endorsementsPerMember || signed.contains { $0.hash == hash }
    }
  }

  /// The greatest serial of the councils that the root key signed; nil where there is none.
  var serial: UInt32? { counting.values.map(\.serial).max() }

  /// Whether a counting council is replaced by one with a greater serial.
  func isReplaced(_ council: Council) -> Bool { serial.map { council.serial < $0 } ?? false }

  /// The councils that count and are not replaced, by hash.
  var current: [(hash: CouncilHash, council: Council)] { counting { !isReplaced($0) } }

  /// The councils that were replaced, by hash.
  var replaced: [(hash: CouncilHash, council: Council)] { counting(isReplaced) }

  private func counting(
    _ isMeant: (Council) -> Bool
  ) -> [(hash: CouncilHash, council: Council)] {
    counting.filter { isMeant($0.value) }.map { ($0.key, $0.value) }.sorted { $0.hash < $1.hash }
  }

  /// Councils that wait for endorsements, by hash.
  var proposed: [(hash: CouncilHash, council: Council)] {
    let all = endorsements.values.joined().map { ($0.hash, $0.council) }
    return Dictionary(all) { first, _ in first }
      .filter { counting[$0.key] == nil && !isReplaced($0.value) }
      .map { ($0.key, $0.value) }.sorted { $0.hash < $1.hash }
  }

  /// How many councils are between one and the root's, which has 0.
  func depth(of council: Council) -> Int {
    var (depth, next) = (0, council)
    while let parent = counting[next.parent] { (depth, next) = (depth + 1, parent) }
    return depth
  }

  // MARK: Reading

  /// One endorsement of a council: each carries the whole council.
  func endorsement(of hash: CouncilHash) -> Endorsement? {
    allEndorsements.first { $0.hash == hash }
  }

  /// The device of a member of a counting council.
  func device(of member: CertificateHash) -> DeviceID? {
    listed[member]?.signed.certificate.device
  }

  /// Whether a device is a member of a counting council.
  func lists(_ device: DeviceID, in council: Council) -> Bool {
    council.members.contains { self.device(of: $0) == device }
  }

  /// What a member's votes about a device leave of it; nil where there is none.
  func voice(on ballot: Ballot) -> Voice? {
    guard let cast = votes[ballot], !cast.isEmpty else { return nil }
    guard cast.count <= Limits.votesPerTarget else { return .excludesAll }
    return .leaves(cast.map(\.vote.revocation))
  }

  /// What one member leaves of a device.
  enum Voice: Hashable, Sendable {
    case excludesAll
    /// What every one of these leaves.
    case leaves([Revocation])
  }

  /// The devices that members of a council vote about, each once, by device.
  func targets(in council: CouncilHash) -> [DeviceID] {
    Set(votes.keys.filter { $0.seat.council == council }.map(\.device)).sorted()
  }

  /// The members of a council who have voted to revoke a device, in ascending order.
  func voters(against device: DeviceID, in council: CouncilHash) -> [CertificateHash] {
    (counting[council]?.members ?? []).filter { member in
      voice(on: Ballot(seat: Seat(council: council, member: member), device: device)) != nil
    }
  }

  /// Whether a held vote names a frame as the last that counts.
  func names(_ head: Head) -> Bool { named[head] != nil }

  /// The frames that held votes name as the last that count.
  var namedFrames: Set<Head> { Set(named.keys) }

  /// All endorsements, by id.
  var allEndorsements: [Endorsement] { endorsements.values.joined().sorted { $0.id < $1.id } }

  /// All votes, by id.
  var allVotes: [SignedVote] { votes.values.joined().sorted { $0.id < $1.id } }
}

extension Endorsement {
  /// Whose endorsement it is, in which council.
  fileprivate var seat: CouncilSet.Seat {
    CouncilSet.Seat(council: council.parent, member: signer)
  }
}

extension SignedVote {
  /// Its voter, and the device that it is about.
  fileprivate var ballot: CouncilSet.Ballot {
    CouncilSet.Ballot(
      seat: CouncilSet.Seat(council: vote.council, member: vote.voter), device: vote.device)
  }
}

/// A certificate that a council lists: it counts independently of its issuers.
struct ListedCertificate: Hashable, Sendable {
  /// Up to the root, leaf first, all verified; never empty.
  let chain: [SignedCertificate]

  var signed: SignedCertificate { chain[0] }
  /// Certificates between the device and the root, from 1.
  var rank: Int { chain.count }
}
