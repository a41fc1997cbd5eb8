import Foundation
import MusterModel
import Testing

@testable import MusterInterchange

@Suite struct `Export of photos` {
  private static func photo(_ number: Int, of title: String) -> ExportedPhoto {
    let moment = Timestamp(milliseconds: 0)
    let status = BlobStatus(
      type: .jpeg, width: 1, height: 1, bytes: 1, percent: 100, devices: 1, total: 1,
      commandPost: true, stall: nil)
    let photo = PhotoSummary(
      id: PhotoID(raw: .zero), address: BlobID(raw: .zero), callsign: "Ben",
      author: UserID(raw: .zero), addedAt: moment, takenAt: nil, position: nil, original: status,
      thumbnail: status)
    let report = ReportSummary(
      id: RowID(raw: .zero), title: title, details: "", category: .fire, severity: nil,
      position: nil, toEvacuate: false, status: .open, owner: UserID(raw: .zero),
      ownerCallsign: "Ben", confirmations: [], comments: [], conflicts: [],
      delivery: Delivery(devices: 1, total: 1, commandPost: false), createdAt: moment,
      updatedAt: moment)
    return ExportedPhoto(photo, number: number, of: report)
  }

  @Test(arguments: [
    ("Gas smell", "gas-smell-00000000-1.jpg"), ("../../etc/passwd", "etc-passwd-00000000-1.jpg"),
    ("", "00000000-1.jpg"), ("Água & lodo", "gua-lodo-00000000-1.jpg"),
    (String(repeating: "x", count: 50), String(repeating: "x", count: 40) + "-00000000-1.jpg"),
  ])
  func `the name of a file is safe, whatever the title is`(title: String, name: String) {
    #expect(Self.photo(1, of: title).fileName == name)
  }

  @Test func `an archive has the layout of ZIP`() {
    var archive = ZipArchive()
    // The checksum of the digits 1 to 9 is in every description of it: cbf43926.
    let file = archive.add("doc.kml", Array("123456789".utf8))
    let local: [UInt8] =
      [0x50, 0x4B, 3, 4, 20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0, 0x26, 0x39, 0xF4, 0xCB]
      + [9, 0, 0, 0, 9, 0, 0, 0, 7, 0, 0, 0] + Array("doc.kml123456789".utf8)
    #expect(file == local)
    let end = archive.end()
    #expect(end.starts(with: [0x50, 0x4B, 1, 2]) && end.count == 46 + 7 + 22)
    #expect(Array(end.suffix(22).prefix(4)) == [0x50, 0x4B, 5, 6])
    // then the directory begins after the file
    #expect(Array(end.suffix(6).prefix(4)) == [46, 0, 0, 0])
  }
}
