import MusterCrypto
import MusterModel
import MusterStore
import MusterTestKit
import Testing

@testable import MusterReplica
@testable import MusterSync

@Suite("Bundles")
struct BundleTests {
  private func titles(_ name: String, in valley: inout Valley) throws -> [String] {
    try valley.ask(name) { replica, _ in try replica.queries.reports() }.map(\.title).sorted()
  }

  @discardableResult
  private func report(
    _ title: String, at name: String, in valley: inout Valley, toEvacuate: Bool = false
  ) throws -> RowID {
    try valley.at(name) {
      try $0.write(ReportRequests.add(ReportDraft(title: title, toEvacuate: toEvacuate)), now: $1)
    }
  }

  private func expectAgreement(
    in valley: inout Valley, at place: SourceLocation = #_sourceLocation
  ) throws {
    #expect(Set(try valley.hashes()).count == 1, sourceLocation: place)
    for name in valley.readers {
      let status = try valley.ask(name) { try $0.status(now: $1) }
      #expect(!status.stateIsIncomplete, "\(name)", sourceLocation: place)
      let problems = try valley.ask(name) { replica, _ in try replica.verify() }.problems
      #expect(problems == [], "\(name)", sourceLocation: place)
    }
  }

  private func local(_ name: String, in valley: Valley) -> LocalDevice {
    valley.laptops[valley.index(name)].credentials.local
  }

  // MARK: Both directions

  @Test func `two devices that never meet converge by bundles in both directions`() throws {
    // Given a commander and a member who was admitted by file, and has no connection
    var valley = try Valley.silent("Ada", "Ben")
    let place = try #require(Coordinate(latitudeE7: 460_500_000, longitudeE7: 145_000_000))
    for number in 1...70 { try report("Ada \(number)", at: "Ada", in: &valley) }
    let id = try report("Ben's", at: "Ben", in: &valley, toEvacuate: true)
    try valley.at("Ben") {
      try $0.ingest(
        Fix(position: place, accuracyDecimetres: 50, sampleTime: $1.wall), now: $1)
    }
    // When bundles are carried in both directions
    let first = try valley.carry(from: "Ada", to: "Ben")
    #expect(first.frames.known == 0 && first.frames.refusedInAll == 0)
    try valley.carry(from: "Ben", to: "Ada")
    // Then both show the same state, and Ada knows Ben's position.
    try expectAgreement(in: &valley)
    #expect(try titles("Ada", in: &valley).count == 71)
    let ben = try valley.ask("Ada") { try $0.statuses(now: $1).users() }.first {
      $0.callsign == "Ben"
    }
    #expect(ben?.fix?.position == place)
    // Her receipts return in a bundle too: Ben sees that command has his report.
    try valley.run(milliseconds: 10_000)
    let back = try valley.carry(from: "Ada", to: "Ben")
    #expect(back.records.new > 0)
    let shown = try valley.ask("Ben") { replica, _ in try replica.queries.report(id) }
    #expect(shown.delivery.commandPost)
  }

  @Test func `merging again changes nothing`() throws {
    var valley = try Valley.silent("Ada", "Ben")
    for number in 1...40 { try report("Ada \(number)", at: "Ada", in: &valley) }
    let bundle = try valley.bundle(by: "Ada")
    let first = try valley.merge(bundle, at: "Ben").tally
    let before = try valley.ask("Ben") { try $0.status(now: $1) }
    let again = try valley.merge(bundle, at: "Ben").tally

    #expect(again.frames.new == 0 && again.records.new == 0 && again.newKeys == 0)
    #expect(again.frames.known == first.frames.new + first.frames.known)
    #expect(again.frames.refusedInAll == 0 && again.records.refusedInAll == 0)
    let after = try valley.ask("Ben") { try $0.status(now: $1) }
    #expect(after.frames == before.frames && after.root == before.root)
    // Nor at its author's device.
    let own = try valley.merge(bundle, at: "Ada").tally
    #expect(own.frames.new == 0 && own.frames.known == again.frames.known)
  }

  @Test func `a third device carries what others wrote`() throws {
    // Given a relay that has no keys, and meets them one after the other
    var valley = try Valley.silent("Ada", "Ben")
    try valley.joinByFile("Rex", admittedBy: "Ada", role: .relay)
    try report("Ada's", at: "Ada", in: &valley)
    try report("Ben's", at: "Ben", in: &valley)
    for (from, to) in [("Ben", "Rex"), ("Rex", "Ada"), ("Ada", "Rex"), ("Rex", "Ben")] {
      try valley.carry(from: from, to: to)
    }
    try expectAgreement(in: &valley)
    #expect(try titles("Ben", in: &valley) == ["Ada's", "Ben's"])
  }

  @Test func `the issuer of the author's certificate need not be known`() throws {
    // Given two devices that Ada admitted, and that received nothing of hers
    var valley = try Valley.silent("Ada", "Ben", "Cleo")
    try report("Ben's", at: "Ben", in: &valley)
    // When one receives the other's data by a bundle, and passes it on in another
    try valley.carry(from: "Ben", to: "Cleo")
    #expect(try titles("Cleo", in: &valley) == ["Ben's"])
    try valley.joinByFile("Dan", admittedBy: "Ada")
    try valley.carry(from: "Cleo", to: "Dan")
    #expect(try titles("Dan", in: &valley) == ["Ben's"])
    #expect(try valley.ask("Dan") { replica, _ in try replica.verify() }.problems == [])
  }

  @Test func `control logs come first, from the root outwards, whatever their ids`() throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      var valley = Valley(seed: seed)
      valley.air.lossPercent = 100
      try valley.found("Ada")
      try valley.joinByFile("Ben", admittedBy: "Ada", role: .command)
      try valley.joinByFile("Cleo", admittedBy: "Ben", role: .command)
      try valley.joinByFile("Dan", admittedBy: "Cleo")
      try report("Dan's", at: "Dan", in: &valley)
      for (from, to) in [("Dan", "Cleo"), ("Cleo", "Ben"), ("Ben", "Ada")] {
        try valley.carry(from: from, to: to)
      }
      // All of it, at a device that has nothing yet.
      try valley.joinByFile("Eve", admittedBy: "Ada")
      let tally = try valley.carry(from: "Ada", to: "Eve")
      #expect(tally.frames.refusedInAll == 0 && tally.records.refusedInAll == 0, "seed \(seed)")
      #expect(try titles("Eve", in: &valley) == ["Dan's"])
    }
  }

  @Test func `a bundle of many pieces is written and read piece by piece`() throws {
    var valley = try Valley.silent("Ada", "Ben")
    valley.checksInvariants = false
    let text = String(repeating: "long ", count: 1000)
    for number in 1...150 {
      try valley.at("Ada") {
        try $0.write(ReportRequests.add(ReportDraft(title: "\(number)", details: text)), now: $1)
      }
    }
    var (pieces, place) = ([[UInt8]](), [UInt8]())
    repeat {
      let piece = try valley.ask("Ada") { replica, _ in try replica.bundlePiece(at: place) }
      pieces.append(piece.bytes)
      place = piece.next
    } while !place.isEmpty
    #expect(pieces.count > 1)
    #expect(pieces.allSatisfy { $0.count < 600 * 1024 })
    let (tally, end) = try valley.merge(Array(pieces.joined()), at: "Ben", window: 70_000)
    #expect(end == .whole && tally.frames.refusedInAll == 0)
    try valley.carry(from: "Ben", to: "Ada")
    try expectAgreement(in: &valley)
  }

  // MARK: Damage

  @Test func `a truncated bundle is reported, and its complete parts are merged`() throws {
    var valley = try Valley.silent("Ada", "Ben")
    valley.checksInvariants = false
    try report("Ada's", at: "Ada", in: &valley)
    let bundle = try valley.bundle(by: "Ada")
    let empty = try valley.ask("Ben") { try $0.status(now: $1) }.frames
    var held = empty
    for count in 0..<bundle.count {
      let (tally, end) = try valley.merge(Array(bundle.prefix(count)), at: "Ben")
      #expect(end == .cutShort && tally.damagedPieces == 0, "after \(count) bytes")
      held += tally.frames.new
    }
    #expect(try valley.ask("Ben") { try $0.status(now: $1) }.frames == held)
    // Everything except the end mark was present.
    #expect(held > empty)
    #expect(try titles("Ben", in: &valley) == ["Ada's"])
    let (tally, end) = try valley.merge(bundle, at: "Ben")
    #expect(end == .whole && tally.frames.new == 0)
  }

  @Test func `a bundle continues where its first half ended`() throws {
    var valley = try Valley.silent("Ada", "Ben")
    for number in 1...80 { try report("Ada \(number)", at: "Ada", in: &valley) }
    let bundle = try valley.bundle(by: "Ada")
    let half = try valley.merge(Array(bundle.prefix(bundle.count / 2)), at: "Ben")
    #expect(half.end == .cutShort && half.tally.frames.new > 0)
    let rest = try valley.merge(bundle, at: "Ben")
    #expect(rest.end == .whole && rest.tally.frames.new > 0)
    #expect(rest.tally.frames.known == half.tally.frames.new + half.tally.frames.known)
    try valley.carry(from: "Ben", to: "Ada")
    try expectAgreement(in: &valley)
  }

  @Test func `a flipped bit costs its piece, and at most the bundle`() throws {
    var valley = try Valley.silent("Ada", "Ben")
    valley.checksInvariants = false
    for number in 1...3 { try report("Ada \(number)", at: "Ada", in: &valley) }
    let bundle = try valley.bundle(by: "Ada")
    for place in stride(from: 0, to: bundle.count, by: 7) {
      var flipped = bundle
      flipped[place] ^= 1 << UInt8(place % 8)
      do {
        let (tally, end) = try valley.merge(flipped, at: "Ben")
        #expect(end != .whole || tally.damagedPieces > 0, "byte \(place)")
        #expect(tally.frames.refused[.forged] == nil, "byte \(place)")
      } catch let refusal as Refusal {
        // In the file's header.
        #expect(place < BundleForm.headerBytes, "byte \(place): \(refusal)")
      }
    }
    #expect(try valley.merge(bundle, at: "Ben").end == .whole)
    try valley.carry(from: "Ben", to: "Ada")
    try expectAgreement(in: &valley)
  }

  @Test func `other files are rejected in one sentence`() throws {
    var valley = try Valley.silent("Ada", "Ben")
    var other = try Valley.silent("Zoe", "Yan", seed: 2)
    let before = try valley.ask("Ben") { try $0.status(now: $1) }.frames
    let bundle = try valley.bundle(by: "Ada")
    var newer = bundle
    newer[14] = UInt8(ascii: "3")
    let older = Array("muster bundle 1\n".utf8) + bundle.dropFirst(17)
    var member = local("Ada", in: valley)
    member.rulesVersion = try #require(RulesVersion(raw: RulesVersion.current.raw + 1))
    var damaged = bundle
    damaged[20] ^= 1
    let files: [(bytes: [UInt8], word: String)] = [
      (try other.bundle(by: "Zoe"), "another operation"), (newer, "newer version"),
      (older, "update the device that made it"),
      (forged([], by: member), "newer version of muster made this bundle, and follows other rules"),
      (damaged, "the beginning of the bundle"), (Array("just a text".utf8), "not a bundle"),
    ]
    for (bytes, word) in files {
      let refusal = #expect(throws: Refusal.self) { try valley.merge(bytes, at: "Ben") }
      #expect(refusal?.description.contains(word) == true, "\(word)")
    }
    #expect(try valley.ask("Ben") { try $0.status(now: $1) }.frames == before)
  }

  // MARK: Attackers

  /// Returns what an attacker with the network key can create.
  private func forged(_ pieces: [BundleItem], by local: LocalDevice) -> [UInt8] {
    var random = DeterministicRandom(seed: [UInt8](repeating: 3, count: 32))
    let form = BundleForm(of: local, salt: random.bytes16())
    var bytes = form.header
    for (number, carried) in (pieces + [.end]).enumerated() {
      bytes += form.sealed(carried, number: UInt64(number), nonce: random.nonce24())
    }
    return bytes
  }

  private func frames(
    by name: String, in lane: Lane, at place: String, of valley: Valley
  ) throws -> [Frame] {
    let store = valley.laptops[valley.index(place)].store
    let certificate = local(name, in: valley).certificate.hash
    let log = try #require(
      try store.logs().first { $0.opening.certificate == certificate && $0.opening.lane == lane })
    return try store.frames(log: log.head.log, from: 0, maxBytes: .max, maxFrames: 33)
  }

  @Test func `frames without their author's valid signature are rejected and counted`() throws {
    var valley = try Valley.silent("Ada", "Ben")
    for number in 1...5 { try report("\(number)", at: "Ada", in: &valley) }
    try valley.carry(from: "Ada", to: "Ben")
    for number in 6...9 { try report("\(number)", at: "Ada", in: &valley) }
    let genuine = try frames(by: "Ada", in: .state, at: "Ada", of: valley)
    let held = try frames(by: "Ada", in: .state, at: "Ben", of: valley)
    let before = try valley.hashes()

    var altered = genuine
    altered[altered.count - 2].body[30] ^= 1
    var unsigned = genuine
    unsigned[unsigned.count - 1].signature = nil
    var swapped = genuine
    swapped[swapped.count - 1].signature = genuine[0].signature
    let later = Array(genuine.suffix(2))
    let cases: [(frames: [Frame], reason: BundleRefusal)] = [
      (altered, .forged), (unsigned, .forged), (swapped, .forged), (later, .unattached),
    ]
    for (frames, reason) in cases {
      let (tally, end) = try valley.merge(
        forged([.frames(frames)], by: local("Ben", in: valley)), at: "Ben")
      #expect(end == .whole && tally.frames.new == 0)
      #expect(tally.frames.refused == [reason: frames.count])
    }
    #expect(try valley.hashes() == before)
    // The same frames with the original signatures are merged; those held before are counted as
    // known.
    let (tally, _) = try valley.merge(
      forged([.frames(genuine)], by: local("Ben", in: valley)), at: "Ben")
    #expect(tally.frames.new == genuine.count - held.count)
    #expect(tally.frames.known == held.count)
  }

  @Test func `frames of an unknown author wait for another bundle`() throws {
    var valley = try Valley.silent("Ada", "Ben", "Cleo")
    try report("Ben's", at: "Ben", in: &valley)
    let frames = try frames(by: "Ben", in: .state, at: "Ben", of: valley)
    let bundle = forged([.frames(frames)], by: local("Ben", in: valley))
    let (tally, _) = try valley.merge(bundle, at: "Cleo")
    #expect(tally.frames.refused == [.unknownAuthor: frames.count])
    try valley.carry(from: "Ben", to: "Cleo")
    #expect(try valley.merge(bundle, at: "Cleo").tally.frames.known == frames.count)
  }

  @Test func `empty or unreadable pieces are skipped`() throws {
    var valley = try Valley.silent("Ada", "Ben")
    let local = local("Ada", in: valley)
    var random = DeterministicRandom(seed: [UInt8](repeating: 4, count: 32))
    let form = BundleForm(of: local, salt: random.bytes16())
    var bytes = form.header
    let nonsense: [[UInt8]] = [[9, 1, 2], [1, 0xFF], [2, 8, 8], [3, 1], [1], [2]]
    for (number, plaintext) in nonsense.enumerated() {
      bytes += form.sealed(
        plaintext: plaintext, number: UInt64(number), nonce: random.nonce24())
    }
    let (tally, end) = try valley.merge(bytes, at: "Ben")
    #expect(end == .cutShort)
    #expect(tally.unreadablePieces == nonsense.count && tally.damagedPieces == 0)
  }

  @Test func `an invalid chain or key changes nothing`() throws {
    var valley = try Valley.silent("Ada", "Ben")
    let stranger = try Valley.silent("Zoe", seed: 2)
    let (ada, zoe) = (local("Ada", in: valley), local("Zoe", in: stranger))
    let box = try #require(
      SealedBox.seal(
        [UInt8](repeating: 1, count: 32), to: local("Ben", in: valley).agreementKey.publicKey,
        drawn: zoe.agreementKey))
    let key = BundledKey(
      epoch: EpochID(raw: Bytes16(high: 1, low: 1)), device: local("Ben", in: valley).device,
      box: box)
    let before = try valley.hashes()
    let (tally, end) = try valley.merge(
      forged([.chain(zoe.chain.certificates), .keys([key])], by: ada), at: "Ben")
    #expect(end == .whole && tally.unreadablePieces == 1 && tally.newKeys == 0)
    #expect(try valley.hashes() == before)
  }

  // MARK: Revocation and forks

  @Test func `a bundle carries a revocation, the new key and quarantined frames`()
    throws
  {
    // Given three devices in the same state, of which one is revoked and continues to write
    var valley = try Valley.silent("Ada", "Ben", "Cleo")
    try report("Before", at: "Ben", in: &valley)
    for (from, to) in [("Ben", "Ada"), ("Ada", "Cleo"), ("Ada", "Ben")] {
      try valley.carry(from: from, to: to)
    }
    let ben = local("Ben", in: valley).device
    try valley.at("Ada") { try $0.revoke(ben, now: $1) }
    try report("Secret", at: "Ada", in: &valley)
    for number in 1...40 { try report("By the thief \(number)", at: "Ben", in: &valley) }
    let thiefs = try valley.bundle(by: "Ben")
    // When Cleo receives the thief's bundle first, and Ada's last
    try valley.merge(thiefs, at: "Cleo")
    #expect(try titles("Cleo", in: &valley).count == 41)
    try valley.merge(thiefs, at: "Ada")
    let tally = try valley.carry(from: "Ada", to: "Cleo")
    // Then the same frames count for her as for Ada, and she can read them
    #expect(tally.newKeys == 1)
    for name in ["Ada", "Cleo"] {
      #expect(try titles(name, in: &valley) == ["Before", "Secret"], "at \(name)")
      let status = try valley.ask(name) { try $0.status(now: $1) }
      #expect(status.quarantinedFrames == 40, "at \(name)")
    }
    try valley.joinByFile("Dan", admittedBy: "Ada")
    let all = try valley.carry(from: "Cleo", to: "Dan")
    #expect(all.frames.refusedInAll == 0 && all.newKeys == 0)
    #expect(try valley.ask("Dan") { try $0.status(now: $1) }.quarantinedFrames == 40)
    // who reads earlier data once a device that knows him sends him the key,
    #expect(try titles("Dan", in: &valley) == ["Secret"])
    #expect(try valley.carry(from: "Ada", to: "Dan").newKeys == 1)
    #expect(try titles("Dan", in: &valley) == ["Before", "Secret"])
    // and the thief receives the revocation, and no key.
    let thief = try valley.carry(from: "Ada", to: "Ben")
    #expect(thief.newKeys == 0)
    #expect(try titles("Ben", in: &valley) == ["Before"])
    #expect(try valley.ask("Ben") { try $0.status(now: $1) }.stateIsIncomplete)
  }

  @Test func `both branches of a forked log are carried, each by one device`() throws {
    // Given a device and its copy, which write separately
    let folder = try TemporaryFolder()
    var valley = Valley()
    valley.air.lossPercent = 100
    try valley.found("Ada", path: folder.database("Ada"))
    for name in ["Ben", "Cleo", "Dan"] {
      try valley.joinByFile(name, admittedBy: "Ada", path: folder.database(name))
    }
    for number in 1...20 { try report("Before \(number)", at: "Ben", in: &valley) }
    try valley.carry(from: "Ben", to: "Ada")
    try valley.copy("Ben", as: "Ben's copy", in: folder)
    for number in 1...45 {
      try report("Ben \(number)", at: "Ben", in: &valley)
      try report("Copy \(number)", at: "Ben's copy", in: &valley)
    }
    // When one branch reaches Ada and the other Cleo, and then each receives the other
    try valley.carry(from: "Ben", to: "Ada")
    let first = try valley.carry(from: "Ben's copy", to: "Cleo")
    #expect(first.frames.refusedInAll == 0)
    try valley.carry(from: "Cleo", to: "Ada")
    try valley.carry(from: "Ada", to: "Cleo")
    // Then both hold both, and so does every device that merges a bundle of theirs.
    try valley.carry(from: "Cleo", to: "Dan")
    for name in ["Ada", "Cleo", "Dan"] {
      let fork = try valley.ask(name) { try $0.status(now: $1) }.forks.first
      #expect(fork?.branches == 2, "at \(name)")
      #expect(try titles(name, in: &valley).count == 110, "at \(name)")
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
    try valley.carry(from: "Dan", to: "Ada")
    let again = try valley.carry(from: "Ada", to: "Dan")
    #expect(again.frames.new == 0 && again.frames.refusedInAll == 0)
    #expect(
      try valley.ask("Ada") { replica, _ in try replica.stateHash() }
        == valley.ask("Dan") { replica, _ in try replica.stateHash() })
  }
}
