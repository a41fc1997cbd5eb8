import MusterInterchange
import MusterModel
import MusterSync
import Testing

@testable import MusterHTTP
@testable import MusterNode
@testable import MusterReplica

@Suite struct `Photos over HTTP` {
  /// 300,000 letters, so that the client can read them as text.
  private static let letters = (0..<300_000).map { UInt8(ascii: "a") + UInt8($0 % 26) }

  private static func draft() -> PhotoDraft {
    PhotoDraft(
      original: PictureDraft(bytes: letters, type: .jpeg, width: 2048, height: 1536),
      thumbnail: PictureDraft(bytes: Array("small".utf8), type: .jpeg, width: 320, height: 240))
  }

  @Test func `a photo is listed, read in ranges, and removed`() async throws {
    try await WebStage.run { web in
      let report = try await web.make("/api/v1/reports", .object(["title": .string("Smoke")]))
      let path = "/api/v1/reports/\(report)"
      guard case .photoAdded(let id) = await web.node.perform(.addPhoto(Self.draft(), to: report))
      else { throw Failed("no photo was added") }

      let listed = try await web.get(path + "/photos").items
      #expect(listed.map { $0["id"] } == [.id(id)])
      #expect(listed.first?["original"]["percent"] == .count(100))
      #expect(try await web.get(path)["photos"].elements == listed)
      #expect(try await web.get("/api/v1/reports").items.first?["photos"] == .count(1))

      let whole = try await web.client.ask("GET", path + "/photos/1")
      #expect(whole.status == 200 && whole.body.utf8.elementsEqual(Self.letters))
      #expect(whole.headers["content-type"] == "image/jpeg")
      #expect(whole.headers["x-content-type-options"] == "nosniff")
      let version = try #require(whole.headers["etag"])
      let again = try await web.client.ask(
        "GET", path + "/photos/\(id)", headers: ["If-None-Match": version])
      #expect(again.status == 304 && again.body.isEmpty)
      let part = try await web.client.ask(
        "GET", path + "/photos/1", headers: ["Range": "bytes=299998-"])
      #expect(part.status == 206 && part.body.utf8.elementsEqual(Self.letters.suffix(2)))
      #expect(part.headers["content-range"] == "bytes 299998-299999/300000")
      #expect(
        try await web.status("GET", path + "/photos/1", nil, ["Range": "bytes=300000-"]) == 416)
      let small = try await web.client.ask("GET", path + "/photos/1/thumbnail")
      #expect(small.status == 200 && small.body == "small")
      #expect(try await web.status("POST", path + "/photos/1/request") == 204)

      #expect(try await web.status("GET", path + "/photos/2") == 404)
      #expect(try await web.status("DELETE", path + "/photos/1") == 204)
      #expect(try await web.status("GET", path + "/photos/\(id)") == 404)
      #expect(try await web.get(path)["photos"] == .array([]))
    }
  }

  @Test func `an element with the blobs of another hides no picture, and is removed alone`()
    async throws
  {
    try await WebStage.run { web in
      let report = try await web.make("/api/v1/reports", .object(["title": .string("Smoke")]))
      guard case .photoAdded(let id) = await web.node.perform(.addPhoto(Self.draft(), to: report))
      else { throw Failed("no photo was added") }
      let path = "/api/v1/reports/\(report)/photos"
      func read(_ photo: String) async throws -> String {
        try await web.client.ask("GET", "\(path)/\(photo)").body
      }

      // Given two elements with the same blobs, one of them with a key that decodes nothing
      try await web.node.repeatPhoto(of: report, key: nil)
      try await web.node.repeatPhoto(of: report, key: .zero)
      let listed = try await web.get(path).items.compactMap { $0["id"].word }
      #expect(listed.count == 3 && Set(listed).count == 3 && listed.contains("\(id)"))
      var genuine: [String] = []
      for photo in listed where try await read(photo).utf8.elementsEqual(Self.letters) {
        genuine.append(photo)
      }
      #expect(genuine.count == 2 && genuine.contains("\(id)"))
      // then numbers and ids name the same photos
      for (index, photo) in listed.enumerated() {
        let known = ["If-None-Match": "\"\(photo)\""]
        #expect(try await web.status("GET", "\(path)/\(index + 1)", nil, known) == 304)
      }

      let others = Set(listed).subtracting(["\(id)"]).sorted()
      #expect(try await web.status("DELETE", "\(path)/\(others[0])") == 204)
      #expect(try await read("\(id)").utf8.elementsEqual(Self.letters))
      #expect(try await web.status("DELETE", "\(path)/\(id)") == 204)
      #expect(try await web.get(path).items.map { $0["id"].word } == [others[1]])
      #expect(
        try await read(others[1]).utf8.elementsEqual(Self.letters)
          == genuine.contains(others[1]))
    }
  }

  @Test func `a mark is drawn over a photo, and removed`() async throws {
    try await WebStage.run { web in
      let report = try await web.make("/api/v1/reports", .object(["title": .string("Smoke")]))
      guard case .photoAdded = await web.node.perform(.addPhoto(Self.draft(), to: report))
      else { throw Failed("no photo was added") }
      let path = "/api/v1/reports/\(report)/photos"
      let marks = path + "/1/marks"
      let ends = #"[{"x": 0, "y": 1}, {"x": 0.5, "y": 0.25}]"#
      #expect(
        try await web.status(
          "POST", marks, #"{"shape": "arrow", "colour": "yellow", "points": \#(ends)}"#) == 204)
      #expect(
        try await web.status("POST", marks, #"{"shape": "line", "points": []}"#) == 422)
      #expect(
        try await web.status("POST", marks, #"{"shape": "arrow", "points": [{"x": 2}]}"#) == 400)
      let drawn = try await web.get(path).items.first?["marks"].elements ?? []
      #expect(drawn.map { $0["shape"] } == [.string("arrow")])
      #expect(drawn.first?["points"].elements?.first?["y"] == .real(1))
      let mark = try #require(drawn.first?["id"].word)
      #expect(try await web.status("DELETE", marks + "/\(mark)") == 204)
      #expect(try await web.get(path).items.first?["marks"] == .array([]))
    }
  }

  @Test func `what is no image file is rejected with one line`() async throws {
    try await WebStage.run { web in
      let report = try await web.make("/api/v1/reports", .object(["title": .string("Smoke")]))
      let path = "/api/v1/reports/\(report)/photos"
      #expect(try await web.status("POST", path, "{}") == 415)
      let image = ["Content-Type": "image/jpeg"]
      #expect(try await web.status("POST", "/api/v1/reports/ffff/photos", "x", image) == 404)
      let large = image.merging(["Content-Length": "67108865"]) { $1 }
      #expect(try await web.status("POST", path, "x", large) == 413)
      #expect(try await web.get("/api/v1/reports").items.first?["photos"] == .count(0))
    }
  }

  @Test(arguments: [
    (nil, ByteRange.whole), ("bytes=0-", .part(0..<10)), ("bytes=2-4", .part(2..<5)),
    ("bytes=2-99", .part(2..<10)), ("bytes=-3", .part(7..<10)), ("bytes=-99", .part(0..<10)),
    ("bytes=10-", .unsatisfiable), ("bytes=-0", .unsatisfiable), ("bytes=4-2", .whole),
    ("bytes=-", .whole), ("bytes=0-1,4-5", .whole), ("lines=0-1", .whole), ("bytes=+1-2", .whole),
    ("bytes=0-99999999999999999999", .part(0..<10)),
  ])
  func `a range header selects bytes`(header: String?, range: ByteRange) {
    #expect(ByteRange(header, of: 10) == range)
  }
}

extension Node {
  /// Writes another element with the blobs of a report's first photo, as a modified program can.
  ///
  /// - Parameter key: the key that it states; nil for the genuine one.
  fileprivate func repeatPhoto(of report: String, key: Bytes32?) throws {
    try attempt { replica, now in
      let row = try replica.queries.context.existing(
        .report, replica.queries.row(.report, named: report))
      guard let known = ReportPhotos(in: row).all.first?.photo else { return Replica.Outcome() }
      func changed(_ blob: BlobReference) -> BlobReference {
        BlobReference(
          root: blob.root, length: blob.length, key: key ?? blob.key, type: blob.type,
          width: blob.width, height: blob.height)
      }
      let photo = Photo(
        original: changed(known.original), thumbnail: changed(known.thumbnail))
      let write = Write(row: row.key.id, field: .reportPhotos, value: .photo(photo))
      return try ModifiedProgram.change(&replica, now: now) {
        try ModifiedProgram.append([[.write(write)]], lane: .state, to: &$0, now: now)
      }
    }
  }
}
