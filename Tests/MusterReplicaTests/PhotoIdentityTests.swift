import MusterAttackers
import MusterCrypto
import MusterModel
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica

@Suite("Photos of several authors")
struct PhotoIdentityTests {
  private static func draft(seed: UInt64 = 1) -> PhotoDraft {
    var random = SplitMix64(seed: seed)
    func picture(_ count: Int) -> PictureDraft {
      PictureDraft(
        bytes: (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }, type: .jpeg,
        width: 640, height: 480)
    }
    return PhotoDraft(
      original: picture(20_000), thumbnail: picture(900),
      takenAt: Timestamp(milliseconds: 1_750_000_000_000))
  }

  /// Anna at command has a report with a photo; Ben and Mia are members.
  private func stage() throws -> (valley: Valley, report: RowID, photo: PhotoID) {
    var valley = try Valley.with("Anna", "Ben", "Mia")
    let report = try valley.at("Anna") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    let photo = try valley.photograph(report, at: "Anna", Self.draft())
    try valley.converge()
    return (valley, report, photo)
  }

  /// The element with another key, place and time, about the same blobs.
  private func impostor(of photo: Photo) -> Photo {
    func changed(_ blob: BlobReference) -> BlobReference {
      BlobReference(
        root: blob.root, length: blob.length, key: .zero, type: .png, width: 1, height: 1)
    }
    return Photo(
      original: changed(photo.original), thumbnail: changed(photo.thumbnail),
      takenAt: Timestamp(milliseconds: 0),
      position: Coordinate(latitudeE7: 10_000_000, longitudeE7: 10_000_000))
  }

  @Test func `a member's element with the blobs of another's photo is a photo beside it`() throws {
    var (valley, report, photo) = try stage()
    // When Mia states another key, place and time for the same blobs, until one dot is lower
    let genuine = try valley.element(of: report, at: "Mia")
    for _ in 0..<4 { try valley.author([impostor(of: genuine)], of: report, at: "Mia") }
    try valley.converge()

    // then every node shows Anna's photo as it was, beside those of Mia
    for name in valley.names {
      let shown = try valley.photos(of: report, at: name)
      #expect(shown.count == 5 && Set(shown.map(\.id)).count == 5)
      #expect(Set(shown.map(\.address)).count == 1)
      let own = try #require(shown.first { $0.id == photo })
      #expect(own.callsign == "Anna" && own.takenAt == Self.draft().takenAt)
      #expect(own.position == nil && own.original.type == .jpeg)
      #expect(
        try valley.bytes(of: photo, of: report, at: name) == Self.draft().original.bytes)
      #expect(try valley.photos(of: report, at: "Anna").map(\.id) == shown.map(\.id))
    }

    // and what command removes of Mia leaves it
    for fake in try valley.photos(of: report, at: "Anna") where fake.id != photo {
      try valley.at("Anna") { try $0.write(PhotoRequests.remove(fake.id, of: report), now: $1) }
    }
    try valley.converge()
    for name in valley.names {
      #expect(try valley.photos(of: report, at: name).map(\.id) == [photo])
      #expect(
        try valley.bytes(of: photo, of: report, at: name) == Self.draft().original.bytes)
    }
  }

  @Test func `removing a photo leaves the photo of another author with the same picture`() throws {
    var (valley, report, photo) = try stage()
    // Given an element of Mia that is equal in everything
    try valley.author([valley.element(of: report, at: "Mia")], of: report, at: "Mia")
    try valley.converge()
    let other = try #require(try valley.photos(of: report, at: "Ben").first { $0.id != photo })

    try valley.at("Anna") { try $0.write(PhotoRequests.remove(photo, of: report), now: $1) }
    try valley.converge()
    for name in valley.names {
      let shown = try valley.photos(of: report, at: name)
      #expect(shown.map(\.id) == [other.id] && shown.first?.callsign == "Mia")
      #expect(
        try valley.bytes(of: other.id, of: report, at: name) == Self.draft().original.bytes)
    }
  }

  @Test func `a member with many photos takes the places of no other author`() throws {
    var (valley, report, photo) = try stage()
    let second = try valley.photograph(report, at: "Ben", Self.draft(seed: 2))
    // When Mia adds more photos than a report shows
    try valley.author(
      Valley.inventedPhotos(Limits.photosPerReport + 9), of: report, at: "Mia")
    try valley.converge()

    let shown = try valley.photos(of: report, at: "Ben")
    #expect(shown.count == Limits.photosPerReport)
    // then the owner of the report is first, and the first of Ben is among the first three
    #expect(shown.first?.id == photo)
    #expect(shown.prefix(3).contains { $0.id == second })
    #expect(try valley.photos(of: report, at: "Anna").map(\.id) == shown.map(\.id))
    let mia = try valley.elements(of: report, at: "Ben").filter { $0.author == shown.last?.author }
    #expect(
      shown.filter { $0.callsign == "Mia" }.map(\.id)
        == mia.prefix(Limits.photosPerReport - 2).map { PhotoID(author: $0.author, dot: $0.dot) })

    // and others may still add photos, but Mia's own program refuses
    _ = try valley.photograph(report, at: "Ben", Self.draft(seed: 3))
    #expect(throws: Refusal.self) {
      try valley.photograph(report, at: "Mia", Self.draft(seed: 4))
    }
  }

  @Test func `no claimed time decides about the number of a photo`() throws {
    var (valley, report, photo) = try stage()
    let late = try valley.photograph(report, at: "Ben", Self.draft(seed: 2))
    valley.setClock("Mia", aheadMilliseconds: -1_000_000_000_000)
    let early = try valley.photograph(report, at: "Mia", Self.draft(seed: 3))
    try valley.converge()
    let shown = try valley.photos(of: report, at: "Anna")
    let others = [late, early].compactMap { id in shown.first { $0.id == id } }
    #expect(shown.first?.id == photo)
    #expect(
      shown.dropFirst().map(\.id) == others.sorted { $0.author < $1.author }.map(\.id))
  }

  @Test func `a mark is on one photo, and a mark of an earlier program on each with the picture`()
    throws
  {
    var (valley, report, photo) = try stage()
    try valley.author([valley.element(of: report, at: "Mia")], of: report, at: "Mia")
    try valley.converge()
    let drawing = PhotoDrawing(
      shape: .arrow, colour: .red, points: [PhotoPoint(x: 0, y: 0), PhotoPoint(x: 1, y: 9)])
    try valley.at("Ben") {
      try $0.write(
        PhotoRequests.addMark(PhotoMark(photo: photo, drawing: drawing), to: report), now: $1)
    }
    // Given a mark that names the address of the original
    let address = try #require(try valley.photos(of: report, at: "Ben").first?.address)
    let earlier = PhotoMark(photo: PhotoID(raw: address.raw), drawing: drawing)
    try valley.at("Ben") { replica, now in
      let write = Write(
        row: report, field: .reportPhotoMarks, value: .bytes(earlier.encoded()))
      return try MaliciousMember.author(
        &replica, unchecked: [.write(write)], lane: .state, now: now)
    }
    try valley.converge()
    for name in valley.names {
      for shown in try valley.photos(of: report, at: name) {
        #expect(shown.marks.count == (shown.id == photo ? 2 : 1))
      }
    }
  }

  @Test func `the name of a photo follows from its author and its dot`() {
    let author = UserID(raw: Bytes16(high: 1, low: 2))
    let dot = Dot(frame: Bytes16(high: 3, low: 4), index: 5)
    let id = PhotoID(author: author, dot: dot)
    #expect(PhotoID(author: UserID(raw: Bytes16(high: 1, low: 3)), dot: dot) != id)
    #expect(PhotoID(author: author, dot: Dot(frame: dot.frame, index: 6)) != id)
    #expect(PhotoID(author: author, dot: dot) == id)
  }
}
