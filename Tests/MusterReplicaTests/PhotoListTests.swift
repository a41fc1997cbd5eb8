import MusterAttackers
import MusterCrypto
import MusterModel
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica

@Suite("Several lists of one photo")
struct PhotoListTests {
  private static let draft: PhotoDraft = {
    var random = SplitMix64(seed: 1)
    func picture(_ count: Int) -> PictureDraft {
      PictureDraft(
        bytes: (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }, type: .jpeg,
        width: 640, height: 480)
    }
    return PhotoDraft(original: picture(50_000), thumbnail: picture(900))
  }()

  /// More originals of the largest size than the bound of a certificate has room for.
  private static let flood = Limits.blobBytesPerCertificate / Limits.blobBytes + 1

  /// Mia, over her bound, listed the blobs of Ben's photo at Anna's command post, where no frame of
  /// Ben about it has arrived.
  private func stage() throws -> (valley: Valley, report: RowID, photo: PhotoID) {
    var valley = try Valley.with("Anna", "Ben", "Mia")
    valley.checksInvariants = false
    let report = try report(in: &valley)
    valley.cut(["Ben"], ["Anna", "Mia"])
    let photo = try valley.photograph(report, at: "Ben", Self.draft)
    let genuine = try valley.element(of: report, at: "Ben")
    try valley.author(Valley.inventedPhotos(Self.flood) + [genuine], of: report, at: "Mia")
    let arrived = try valley.wait(upTo: 60_000) { valley in
      try valley.ask("Anna") { replica, _ in
        try replica.core.store.blob(genuine.original.id) != nil
      }
    }
    #expect(arrived != nil)
    return (valley, report, photo)
  }

  /// A report of Ben that all have.
  private func report(toEvacuate: Bool = false, in valley: inout Valley) throws -> RowID {
    let report = try valley.at("Ben") {
      try $0.write(
        ReportRequests.add(ReportDraft(title: "Smoke", toEvacuate: toEvacuate)), now: $1)
    }
    try valley.converge()
    return report
  }

  private func isComplete(
    _ photo: PhotoID, of report: RowID, at name: String, in valley: inout Valley
  ) throws -> Bool {
    let shown = try valley.photos(of: report, at: name).first { $0.id == photo }
    return shown?.original.isComplete == true && shown?.thumbnail.isComplete == true
  }

  @Test func `a member over her bound keeps no photo of another from command`() throws {
    var (valley, report, photo) = try stage()
    // Given that Mia lists the blobs beyond her bound
    let address = try valley.element(of: report, at: "Ben").original.id
    let isOver = try valley.ask("Anna") { replica, _ in
      replica.core.derived.photos.lists.isOverBound(address)
    }
    #expect(isOver)

    // When Ben is reached
    valley.cut(["Anna", "Ben"], ["Mia"])
    let elapsed = try valley.wait(upTo: 60_000) { valley in
      try isComplete(photo, of: report, at: "Anna", in: &valley)
    }
    // then his photo is complete, also after a restart
    #expect(elapsed != nil)
    #expect(try valley.bytes(of: photo, of: report, at: "Anna") == Self.draft.original.bytes)
    try valley.switchOff("Anna")
    try valley.switchOn("Anna")
    #expect(try isComplete(photo, of: report, at: "Anna", in: &valley))

    // and command's receipt for Ben's log serves it
    valley.heal()
    let receipt = try valley.wait(upTo: 120_000) { valley in
      try valley.photos(of: report, at: "Ben").first { $0.id == photo }?.original.commandPost
        == true
    }
    #expect(receipt != nil)
  }

  @Test func `all nodes count the same lists, in any order of arrival and after a restart`() throws
  {
    var (valley, _, _) = try stage()
    valley.heal()
    try valley.converge(within: 120_000)
    func lists(_ name: String, _ valley: inout Valley) throws -> [BlobID: Set<CountedList>] {
      try valley.ask(name) { replica, _ in
        var found: [BlobID: Set<CountedList>] = [:]
        for blob in try replica.core.store.listedBlobs() {
          found[blob.id] = Set(replica.core.derived.photos.lists[blob.id])
        }
        return found
      }
    }
    let anna = try lists("Anna", &valley)
    #expect(anna.count == 2 * Self.flood + 2)
    for name in ["Ben", "Mia"] { #expect(try lists(name, &valley) == anna) }
    try valley.switchOff("Ben")
    try valley.switchOn("Ben")
    #expect(try lists("Ben", &valley) == anna)
  }

  @Test func `what a revoked device listed after its cut-off counts no more, without a restart`()
    throws
  {
    var valley = try Valley.with("Anna", "Ben", "Mia")
    let report = try report(in: &valley)
    let mia = try valley.ask("Mia") { replica, _ in replica.core.local }
    func counted(_ name: String, _ valley: inout Valley) throws -> Int {
      try valley.ask(name) { replica, _ in
        try replica.core.store.listedBlobs().count { blob in
          replica.core.derived.photos.lists[blob.id].contains {
            $0.certificate == mia.certificate.hash
          }
        }
      }
    }
    // Given lists of Mia that all have, and others that only Ben has
    try valley.author(Valley.inventedPhotos(1), of: report, at: "Mia")
    try valley.converge()
    valley.cut(["Anna"], ["Ben", "Mia"])
    try valley.author(Valley.inventedPhotos(2, seed: 2), of: report, at: "Mia")
    try valley.run(milliseconds: 20_000)
    #expect(try counted("Ben", &valley) == 6)

    // When Anna revokes Mia, those before the cut-off count on, also after a restart
    try valley.at("Anna") { try $0.revoke(mia.device, now: $1) }
    #expect(try counted("Anna", &valley) == 2)
    valley.cut(["Anna", "Ben"], ["Mia"])
    let dropped = try valley.wait(upTo: 60_000) { try counted("Ben", &$0) == 2 }
    #expect(dropped != nil)
    try valley.switchOff("Ben")
    try valley.switchOn("Ben")
    #expect(try counted("Ben", &valley) == 2)
  }

  @Test func `photos of a stolen laptop from before its revocation are fetched`() throws {
    var valley = try Valley.with("Anna", "Ben", "Cleo")
    let report = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.converge()
    valley.cut(["Anna"], ["Ben", "Cleo"])
    let photo = try valley.photograph(report, at: "Ben", Self.draft)
    let copied = try valley.wait(upTo: 60_000) { valley in
      try isComplete(photo, of: report, at: "Cleo", in: &valley)
    }
    #expect(copied != nil)
    // When Cleo brings the frames, and Ben's laptop is revoked before the photo itself arrives
    let ben = try valley.ask("Ben") { replica, _ in replica.core.local.device }
    try valley.switchOff("Ben")
    valley.heal()
    let listed = try valley.wait(upTo: 60_000) { valley in
      try !valley.photos(of: report, at: "Anna").isEmpty
    }
    #expect(listed != nil)
    try valley.at("Anna") { try $0.revoke(ben, now: $1) }
    let complete = try valley.wait(upTo: 60_000) { valley in
      try isComplete(photo, of: report, at: "Anna", in: &valley)
    }
    #expect(complete != nil)
  }

  @Test func `another author's list as an original delays no thumbnail`() throws {
    var valley = try Valley.with("Anna", "Ben", "Mia")
    let report = try report(toEvacuate: true, in: &valley)
    valley.cut(["Ben"], ["Anna", "Mia"])
    _ = try valley.photograph(report, at: "Ben", Self.draft)
    let genuine = try valley.element(of: report, at: "Ben")
    // Given Mia's list of Ben's thumbnail as an original, in the state lane, that comes first
    let other = Photo(
      original: genuine.thumbnail, thumbnail: Valley.inventedPhotos(1)[0].thumbnail)
    try valley.author([other], of: report, at: "Mia")
    func entry(_ valley: inout Valley) throws -> BlobEntry? {
      try valley.ask("Anna") { replica, _ in
        try replica.core.store.blob(genuine.thumbnail.id).map {
          replica.core.derived.photos.entry(of: $0, role: .command)
        }
      }
    }
    let listed = try valley.wait(upTo: 60_000) { try entry(&$0) != nil }
    #expect(listed != nil)
    #expect(try entry(&valley)?.goal == .command)
    valley.heal()
    try valley.converge()
    #expect(try entry(&valley)?.goal == .urgentThumbnail)
    #expect(try entry(&valley)?.listing.kind == .thumbnail)
  }
}
