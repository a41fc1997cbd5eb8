import MusterCrypto
import MusterModel
import MusterReplica
import MusterStore
import MusterTestKit
import Testing

@Suite("Photos of reports")
struct PhotoTests {
  private static func picture(_ bytes: Int, seed: UInt64 = 1) -> PictureDraft {
    var random = SplitMix64(seed: seed)
    let content = (0..<bytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    return PictureDraft(bytes: content, type: .jpeg, width: 2048, height: 1536)
  }

  private static func draft(bytes: Int = 300_000, seed: UInt64 = 1) -> PhotoDraft {
    PhotoDraft(
      original: picture(bytes, seed: seed), thumbnail: picture(12_000, seed: seed &+ 1000),
      takenAt: Timestamp(milliseconds: 1_750_000_000_000))
  }

  /// A report with a photo, at the named laptop.
  private func photograph(
    at name: String, _ draft: PhotoDraft = draft(), evacuate: Bool = false,
    in valley: inout Valley
  ) throws -> (report: RowID, photo: PhotoID) {
    let report = try valley.at(name) {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke", toEvacuate: evacuate)), now: $1)
    }
    return (report, try valley.photograph(report, at: name, draft))
  }

  /// The address of the original of the only photo of a report.
  private func address(
    of report: RowID, at name: String, in valley: inout Valley
  ) throws -> BlobID {
    try #require(try status(of: report, at: name, in: &valley)?.address)
  }

  private func status(
    of report: RowID, at name: String, in valley: inout Valley
  ) throws -> PhotoSummary? {
    try valley.ask(name) { replica, _ in
      guard let listed = try replica.queries.reports().first(where: { $0.id == report }) else {
        return nil
      }
      let shown = try replica.queries.report(report)
      #expect(listed.photoCount == shown.photos.count && listed.photos.isEmpty)
      return shown.photos.first
    }
  }

  private func waitForOriginal(
    of report: RowID, at names: [String], within milliseconds: Int64, in valley: inout Valley
  ) throws -> Int64? {
    try valley.wait(upTo: milliseconds) { valley in
      try names.allSatisfy {
        try status(of: report, at: $0, in: &valley)?.original.isComplete == true
      }
    }
  }

  @Test func `a photo reaches everyone, its thumbnail first, and is the same everywhere`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo", "Dora")
    let draft = Self.draft()
    let (report, photo) = try photograph(at: "Ben", draft, in: &valley)
    #expect(try status(of: report, at: "Ben", in: &valley)?.original.percent == 100)

    var sawThumbnailFirst = false
    var best = 0
    let elapsed = try valley.wait(upTo: 60_000) { valley in
      guard let seen = try status(of: report, at: "Ada", in: &valley) else { return false }
      // then progress never goes back
      #expect(seen.original.percent >= best)
      best = seen.original.percent
      if seen.thumbnail.isComplete, !seen.original.isComplete { sawThumbnailFirst = true }
      return seen.original.isComplete
    }
    #expect(elapsed != nil && sawThumbnailFirst)
    #expect(
      try waitForOriginal(
        of: report, at: ["Cleo", "Dora"], within: 60_000, in: &valley) != nil)
    for name in valley.names {
      let bytes = try valley.ask(name) { replica, _ in
        try replica.queries.photoBytes(photo, of: report, kind: .original)
      }
      #expect(bytes == draft.original.bytes)
      let part = try valley.ask(name) { replica, _ in
        try replica.queries.photoBytes(photo, of: report, kind: .original, range: 16_000..<50_001)
      }
      #expect(part == Array(draft.original.bytes[16_000..<50_001]))
      let small = try valley.ask(name) { replica, _ in
        try replica.queries.photoBytes(photo, of: report, kind: .thumbnail)
      }
      #expect(small == draft.thumbnail.bytes)
    }
    #expect(Set(try valley.hashes()).count == 1)
  }

  @Test func `a photo completes at 30 percent loss with a partition every 20 seconds`() throws {
    var valley = try Valley.with("Ada", "Ben")
    valley.checksInvariants = false
    valley.air.lossPercent = 30
    let (report, _) = try photograph(at: "Ben", in: &valley)
    var best = 0
    for _ in 0..<20 {
      valley.heal()
      try valley.run(milliseconds: 20_000)
      let seen = try status(of: report, at: "Ada", in: &valley)?.original.percent ?? 0
      #expect(seen >= best)
      best = seen
      if best == 100 { break }
      valley.cut(["Ada"], ["Ben"])
      try valley.run(milliseconds: 20_000)
    }
    #expect(best == 100, "seed \(valley.seed)")
  }

  @Test func `a restart in the middle of a transfer keeps what arrived`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let (report, _) = try photograph(at: "Ben", Self.draft(bytes: 2_000_000), in: &valley)
    let half = try valley.wait(upTo: 60_000) { valley in
      try status(of: report, at: "Ada", in: &valley)?.original.percent ?? 0 >= 30
    }
    #expect(half != nil)
    let before = try status(of: report, at: "Ada", in: &valley)?.original.percent ?? 0
    try valley.switchOff("Ada")
    try valley.switchOn("Ada")
    let after = try status(of: report, at: "Ada", in: &valley)?.original.percent ?? 0
    #expect(after >= before && after < 100)
    #expect(try waitForOriginal(of: report, at: ["Ada"], within: 120_000, in: &valley) != nil)
  }

  @Test func `a relay keeps thumbnails, and fetches an original for the device behind it`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Rob", invitedBy: "Ada", role: .relay)
    try valley.converge()
    valley.lineUp("Ada", "Rob", "Ben")
    try valley.run(milliseconds: 60_000)

    let (report, photo) = try photograph(at: "Ada", in: &valley)
    let arrived = try waitForOriginal(of: report, at: ["Ben"], within: 120_000, in: &valley)
    #expect(arrived != nil)
    let bytes = try valley.ask("Ben") { replica, _ in
      try replica.queries.photoBytes(photo, of: report, kind: .original)
    }
    #expect(bytes == Self.draft().original.bytes)
  }

  @Test func `a relay alone does not fetch the original`() throws {
    var valley = Valley()
    try valley.found("Ada")
    try valley.join("Rob", invitedBy: "Ada", role: .relay)
    let (report, photo) = try photograph(at: "Ada", in: &valley)
    try valley.run(milliseconds: 30_000)
    let stored = try valley.laptops[valley.index("Rob")].store.listedBlobs()
    #expect(stored.count == 2)
    for blob in stored {
      #expect(blob.units.isComplete == (blob.listing.kind == .thumbnail))
    }
    // then Ada sees that no other device holds it
    let seen = try status(of: report, at: "Ada", in: &valley)
    #expect(seen?.id == photo && seen?.original.devices == 1)
  }

  @Test func `a damaged unit is not sent, and is fetched again`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    valley.cut(["Ada", "Ben"], ["Cleo"])
    let (report, _) = try photograph(at: "Ben", in: &valley)
    #expect(try waitForOriginal(of: report, at: ["Ada"], within: 60_000, in: &valley) != nil)

    // Given that the disk of Ada changes a byte
    let address = try address(of: report, at: "Ada", in: &valley)
    try valley.laptops[valley.index("Ada")].store.damageUnit(3, of: address)
    valley.cut(["Ada", "Cleo"], ["Ben"])
    let without = try waitForOriginal(of: report, at: ["Cleo"], within: 30_000, in: &valley)
    #expect(without == nil)
    #expect(try status(of: report, at: "Ada", in: &valley)?.original.percent ?? 100 < 100)

    // When Ben is back
    valley.heal()
    let all = ["Ada", "Cleo"]
    #expect(try waitForOriginal(of: report, at: all, within: 120_000, in: &valley) != nil)
  }

  @Test func `a call for help does not wait for photos on a narrow link`() throws {
    var valley = try Valley.with("Ada", "Ben")
    for name in valley.names {
      try valley.at(name) { try $0.limitLinks(to: LinkRate(bytesPerSecond: 8000), now: $1) }
    }
    let (report, photo) = try photograph(at: "Ben", in: &valley)
    let small = try valley.wait(upTo: 60_000) { valley in
      try status(of: report, at: "Ada", in: &valley)?.thumbnail.isComplete == true
    }
    #expect(small != nil)
    let waiting = try status(of: report, at: "Ada", in: &valley)?.original
    #expect(waiting?.percent == 0 && waiting?.stall == .narrowLink)

    // When Ada requests the original, and Ben calls for help while it is sent
    try valley.at("Ada") { try $0.requestPhoto(photo, of: report, now: $1) }
    try valley.run(milliseconds: 5000)
    #expect(try status(of: report, at: "Ada", in: &valley)?.original.percent ?? 0 > 0)
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: ""), now: $1) }
    let help = try valley.wait(upTo: 10_000) { valley in
      try valley.ask("Ada") { try $0.status(now: $1).root }
        == valley.ask("Ben") {
          try $0.status(now: $1).root
        }
    }
    #expect(help ?? .max <= 3000)
    #expect(try status(of: report, at: "Ada", in: &valley)?.original.isComplete == false)
  }

  @Test func `its author and command remove a photo, other members do not`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let (report, photo) = try photograph(at: "Ben", in: &valley)
    let second = try valley.photograph(report, at: "Ben", Self.draft(seed: 2))
    try valley.converge()
    #expect(throws: Refusal.self) {
      try valley.at("Cleo") { try $0.write(PhotoRequests.remove(photo, of: report), now: $1) }
    }
    try valley.at("Ben") { try $0.write(PhotoRequests.remove(photo, of: report), now: $1) }
    try valley.at("Ada") { try $0.write(PhotoRequests.remove(second, of: report), now: $1) }
    try valley.converge()
    for name in valley.names { #expect(try status(of: report, at: name, in: &valley) == nil) }
  }

  @Test func `pictures out of range are refused, and nothing is stored`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let report = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    var empty = Self.draft()
    empty.original.bytes = []
    var huge = Self.draft()
    huge.thumbnail.bytes = [UInt8](repeating: 1, count: Limits.thumbnailBytes + 1)
    var flat = Self.draft()
    flat.original.height = 0
    for bad in [empty, huge, flat] {
      #expect(throws: Refusal.self) {
        try valley.at("Ben") { replica, now in
          let added = try replica.write(PhotoRequests.add(bad, to: report), now: now)
          return (added.answer, added.outcome)
        }
      }
    }
    let unknown = PhotoID(raw: Bytes16(high: 1, low: 2))
    #expect(throws: Refusal.self) {
      try valley.at("Ben") { try $0.requestPhoto(unknown, of: report, now: $1) }
    }
    #expect(try valley.laptops[valley.index("Ben")].store.listedBlobs().isEmpty)
  }

  @Test func `the command post's receipt is seen at the far end of a chain`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    valley.lineUp("Ada", "Ben", "Cleo")
    try valley.run(milliseconds: 60_000)
    let (report, _) = try photograph(at: "Cleo", in: &valley)
    let seen = try valley.wait(upTo: 120_000) { valley in
      try status(of: report, at: "Cleo", in: &valley)?.original.commandPost == true
    }
    #expect(seen != nil)
    let original = try status(of: report, at: "Cleo", in: &valley)?.original
    #expect(original?.devices == 3 && original?.total == 3)
    #expect(original?.text == "on 3 of 3 devices · command post ✓")
  }

  @Test func `originals are deleted for lack of space only while command keeps them`() throws {
    var valley = try Valley.with("Ada", "Ben")
    valley.cut(["Ada"], ["Ben"])
    let (report, photo) = try photograph(at: "Ben", in: &valley)
    func percent(_ name: String) throws -> Int? {
      try status(of: report, at: name, in: &valley)?.original.percent
    }

    // When the disk is almost full and no other device has the photo, it stays
    try valley.at("Ben") { try $0.noteFreeBytes(1 << 20, now: $1) }
    #expect(try percent("Ben") == 100)
    try valley.at("Ben") { try $0.noteFreeBytes(1 << 40, now: $1) }
    valley.heal()
    let kept = try valley.wait(upTo: 60_000) { valley in
      try status(of: report, at: "Ben", in: &valley)?.original.commandPost == true
    }
    #expect(kept != nil)
    try valley.at("Ben") { try $0.noteFreeBytes(1 << 20, now: $1) }
    #expect(try percent("Ben") == 0)
    #expect(try status(of: report, at: "Ben", in: &valley)?.thumbnail.isComplete == true)
    // then command never does
    try valley.at("Ada") { try $0.noteFreeBytes(1 << 20, now: $1) }
    #expect(try percent("Ada") == 100)

    // When there is room again, it is fetched on request
    try valley.at("Ben") { try $0.noteFreeBytes(1 << 40, now: $1) }
    try valley.run(milliseconds: 10_000)
    #expect(try percent("Ben") == 0)
    try valley.at("Ben") { try $0.requestPhoto(photo, of: report, now: $1) }
    #expect(try waitForOriginal(of: report, at: ["Ben"], within: 60_000, in: &valley) != nil)
  }

  @Test func `a removed photo is kept for a day, and then deleted where command keeps it`() throws {
    var valley = try Valley.with("Ada", "Ben")
    valley.checksInvariants = false
    let (report, photo) = try photograph(at: "Ben", in: &valley)
    #expect(try waitForOriginal(of: report, at: ["Ada"], within: 60_000, in: &valley) != nil)
    try valley.run(milliseconds: 20_000)
    let address = try address(of: report, at: "Ben", in: &valley)
    try valley.at("Ben") { try $0.write(PhotoRequests.remove(photo, of: report), now: $1) }
    try valley.run(milliseconds: 20 * 60_000)
    let stored = valley.laptops[valley.index("Ben")].store
    #expect(try stored.blob(address)?.units.isComplete == true)
    #expect(throws: Refusal.self) {
      try valley.ask("Ben") { replica, _ in
        try replica.queries.photoBytes(photo, of: report, kind: .original)
      }
    }
    valley.setClock("Ben", aheadMilliseconds: 25 * 3_600_000)
    try valley.run(milliseconds: 11 * 60_000)
    #expect(try stored.blob(address)?.units.isEmpty == true)
    #expect(
      try valley.laptops[valley.index("Ada")].store.blob(address)?.units.isComplete == true)
  }

  @Test func `a memory stick carries photos`() throws {
    var valley = try Valley.silent("Ada", "Ben")
    let draft = Self.draft()
    let (report, photo) = try photograph(at: "Ada", draft, in: &valley)
    let tally = try valley.carry(from: "Ada", to: "Ben")
    #expect(tally.photoUnits.new == 20 && tally.photoUnits.refusedInAll == 0)
    let bytes = try valley.ask("Ben") { replica, _ in
      try replica.queries.photoBytes(photo, of: report, kind: .original)
    }
    #expect(bytes == draft.original.bytes)
    #expect(try valley.carry(from: "Ada", to: "Ben").photoUnits.known == 20)
  }

  @Test func `verify finds a damaged photo, and a restart fetches it again`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let (report, _) = try photograph(at: "Ben", in: &valley)
    #expect(try waitForOriginal(of: report, at: ["Ada"], within: 60_000, in: &valley) != nil)
    #expect(try valley.ask("Ada") { replica, _ in try replica.verify().problems } == [])
    let address = try address(of: report, at: "Ada", in: &valley)
    try valley.laptops[valley.index("Ada")].store.damageUnit(3, of: address)
    let problems = try valley.ask("Ada") { replica, _ in try replica.verify().problems }
    #expect(problems.count == 1 && problems[0].contains("parts of photo"))
    try valley.switchOff("Ada")
    try valley.switchOn("Ada")
    #expect(try waitForOriginal(of: report, at: ["Ada"], within: 60_000, in: &valley) != nil)
    #expect(try valley.ask("Ada") { replica, _ in try replica.verify().problems } == [])
  }

  @Test func `operations without photos list no blobs and set no timer for them`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ben") { replica, now in
      try replica.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: now).outcome
    }
    try valley.converge()
    for name in valley.names {
      #expect(try valley.laptops[valley.index(name)].store.listedBlobs().isEmpty)
    }
  }
}
