import MusterModel
import MusterReplica
import MusterTestKit
import Testing

@Suite("Marks on photos")
struct PhotoMarkTests {
  private static func arrow(to x: UInt16) -> PhotoDrawing {
    PhotoDrawing(
      shape: .arrow, colour: .red, points: [PhotoPoint(x: 0, y: 0), PhotoPoint(x: x, y: 9)])
  }

  private static let photo = PhotoDraft(
    original: PictureDraft(bytes: [1, 2, 3], type: .jpeg, width: 2048, height: 1536),
    thumbnail: PictureDraft(bytes: [4, 5], type: .jpeg, width: 320, height: 240))

  /// Ada at the command post and the member Ben hold a report of Ada with a photo.
  private func stage() throws -> (valley: Valley, report: RowID, photo: PhotoID) {
    var valley = try Valley.with("Ada", "Ben")
    let report = try valley.at("Ada") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    let photo = try valley.photograph(report, at: "Ada", Self.photo)
    try valley.converge()
    return (valley, report, photo)
  }

  private func draw(
    _ drawing: PhotoDrawing, by name: String, on photo: PhotoID, of report: RowID,
    in valley: inout Valley
  ) throws {
    _ = try valley.at(name) {
      try $0.write(
        PhotoRequests.addMark(PhotoMark(photo: photo, drawing: drawing), to: report), now: $1)
    }
  }

  private func marks(
    at name: String, of report: RowID, in valley: inout Valley
  ) throws -> [PhotoMarkSummary] {
    try valley.ask(name) { replica, _ in try replica.queries.photos(of: report).first?.marks ?? [] }
  }

  @Test func `what two people draw during a partition is all there after it`() throws {
    var (valley, report, photo) = try stage()
    valley.cut(["Ada"], ["Ben"])
    try draw(Self.arrow(to: 1), by: "Ada", on: photo, of: report, in: &valley)
    try draw(Self.arrow(to: 2), by: "Ben", on: photo, of: report, in: &valley)
    valley.heal()
    try valley.converge()
    let here = try marks(at: "Ada", of: report, in: &valley)
    #expect(Set(here.map(\.callsign)) == ["Ada", "Ben"])
    #expect(try marks(at: "Ben", of: report, in: &valley) == here)
  }

  @Test func `a mark is removed by its author or command only`() throws {
    var (valley, report, photo) = try stage()
    try draw(Self.arrow(to: 1), by: "Ada", on: photo, of: report, in: &valley)
    try draw(Self.arrow(to: 2), by: "Ben", on: photo, of: report, in: &valley)
    try valley.converge()
    let drawn = try marks(at: "Ben", of: report, in: &valley)
    let ada = try #require(drawn.first { $0.callsign == "Ada" })
    let ben = try #require(drawn.first { $0.callsign == "Ben" })
    #expect(throws: Refusal.self) {
      try valley.at("Ben") { try $0.write(PhotoRequests.removeMark(ada.id, of: report), now: $1) }
    }
    _ = try valley.at("Ada") { try $0.write(PhotoRequests.removeMark(ben.id, of: report), now: $1) }
    try valley.converge()
    #expect(try marks(at: "Ben", of: report, in: &valley).map(\.id) == [ada.id])
  }

  @Test func `a mark disappears with its photo`() throws {
    var (valley, report, photo) = try stage()
    try draw(Self.arrow(to: 1), by: "Ben", on: photo, of: report, in: &valley)
    _ = try valley.at("Ada") { try $0.write(PhotoRequests.remove(photo, of: report), now: $1) }
    try valley.converge()
    #expect(try valley.ask("Ben") { replica, _ in try replica.queries.photos(of: report) } == [])
  }

  @Test func `a mark out of range is refused, and nothing is written`() throws {
    var (valley, report, photo) = try stage()
    let point = PhotoPoint(x: 1, y: 1)
    let bad: [PhotoDrawing] = [
      PhotoDrawing(shape: .arrow, colour: .red, points: [point]),
      PhotoDrawing(shape: .line, colour: .red, points: Array(repeating: point, count: 65)),
      PhotoDrawing(shape: .text, colour: .red, points: [point]),
      PhotoDrawing(shape: .text, colour: .red, points: [point], text: "two\nlines"),
      PhotoDrawing(
        shape: .text, colour: .red, points: [point], text: String(repeating: "x", count: 121)),
      PhotoDrawing(shape: .circle, colour: .red, points: [point, point], text: "round"),
    ]
    for drawing in bad {
      #expect(throws: Refusal.self, "\(drawing)") {
        try draw(drawing, by: "Ben", on: photo, of: report, in: &valley)
      }
    }
    #expect(throws: Refusal.self) {
      try draw(
        Self.arrow(to: 1), by: "Ben", on: PhotoID(raw: .zero), of: report, in: &valley)
    }
    #expect(try marks(at: "Ben", of: report, in: &valley) == [])
  }

  @Test func `one person cannot cover a photo with thousands of marks`() throws {
    var (valley, report, photo) = try stage()
    for number in 0..<Limits.marksPerPhoto {
      try draw(Self.arrow(to: UInt16(number)), by: "Ben", on: photo, of: report, in: &valley)
    }
    #expect(throws: Refusal.self) {
      try draw(Self.arrow(to: 900), by: "Ben", on: photo, of: report, in: &valley)
    }
    try draw(Self.arrow(to: 900), by: "Ada", on: photo, of: report, in: &valley)
    #expect(try marks(at: "Ada", of: report, in: &valley).contains { $0.callsign == "Ada" })
  }

  @Test func `a mark is read as it was written, and nothing else is a mark`() throws {
    let mark = PhotoMark(
      photo: PhotoID(raw: Bytes16(high: 1, low: 2)),
      drawing: PhotoDrawing(
        shape: .text, colour: .black, points: [PhotoPoint(x: 258, y: 65_535)], text: "Exit"))
    let bytes = mark.encoded()
    #expect(
      Hex.encode(bytes)
        == "00000000000000010000000000000002" + "04" + "04" + "01" + "0102ffff" + "00000004"
        + "45786974")
    #expect(try PhotoMark(decoding: bytes) == mark)
    for length in bytes.indices {
      #expect(!Field.reportPhotoMarks.accepts(.bytes(Array(bytes.prefix(length)))))
    }
    #expect(!Field.reportPhotoMarks.accepts(.bytes(bytes + [0])))
    for (index, byte) in [(16, UInt8(5)), (16, 0), (17, 5), (18, 2)] {
      var changed = bytes
      changed[index] = byte
      #expect(!Field.reportPhotoMarks.accepts(.bytes(changed)))
    }
  }
}
