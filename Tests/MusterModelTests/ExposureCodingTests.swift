import MusterModel
import Testing

/// The bytes of exposure notices and of the notes to command.
@Suite("Encoded exposures")
struct ExposureCodingTests {
  private static let id = ExposureID(raw: Bytes16(high: 1, low: 2))
  private static let day: UInt32 = 2_642_976

  private func keys(_ count: Int, every step: UInt32 = 144) -> [ExposureKey] {
    (0..<UInt32(count)).map {
      ExposureKey(day: Self.day + $0 * step, key: Bytes16(high: 7, low: UInt64($0)))
    }
  }

  private func notice(
    text: String = "shower", keys: [ExposureKey]? = nil
  ) -> ExposureNotice {
    ExposureNotice(id: Self.id, kind: .contamination, text: text, keys: keys ?? self.keys(2))
  }

  @Test func `a notice is read back, and its bytes do not change`() throws {
    for notice in [notice(), notice(text: ""), notice(keys: keys(14))] {
      #expect(try ExposureNotice(decoding: notice.encoded()) == notice)
      #expect(Field.exposureNotices.accepts(.bytes(notice.encoded())))
    }
    #expect(
      Hex.encode(notice(keys: keys(1)).encoded())
        == "00000000000000010000000000000002" + "02" + "00000006" + "73686f776572" + "01"
        + "00285420" + "00000000000000070000000000000000")
  }

  @Test func `a notice out of range is refused by all replicas`() {
    let refused = [
      notice(text: "two\nlines"), notice(text: String(repeating: "x", count: 161)),
      notice(keys: []), notice(keys: keys(15)), notice(keys: keys(2, every: 143)),
      notice(keys: keys(2).reversed()), notice(keys: keys(1) + keys(1)),
      notice(keys: keys(2, every: 14 * 144)),
    ]
    for notice in refused {
      #expect(notice.fault != nil)
      #expect(!Field.exposureNotices.accepts(.bytes(notice.encoded())), "\(notice)")
    }
    let good = notice().encoded()
    #expect(!Field.exposureNotices.accepts(.bytes(good + [0])))
    for length in good.indices {
      #expect(!Field.exposureNotices.accepts(.bytes(Array(good.prefix(length)))))
    }
  }

  @Test func `every note has one length, whatever its content`() throws {
    var full = ProximityNote(
      report: notice(text: String(repeating: "x", count: 160), keys: keys(14)))
    full.withdrawn = (0..<4).map { WithdrawalKey(raw: Bytes16(high: 3, low: $0)) }
    full.matched = (0..<32).map { ExposureID(raw: Bytes16(high: 4, low: $0)) }
    full.sessions = (0..<9).map {
      NoteSession(first: $0, end: $0 + 2, identifiers: 7, names: ["Ben", "Zoé"])
    }
    for note in [ProximityNote(), full] {
      #expect(note.encoded().count == Limits.proximityNoteBytes)
      #expect(try ProximityNote(decoding: note.encoded()) == note)
    }
  }

  @Test func `sessions that do not fit are left out, the oldest first`() throws {
    var note = ProximityNote()
    let names = (0..<6).map { "\($0)" + String(repeating: "n", count: 31) }
    note.sessions = (0..<200).reversed().map {
      NoteSession(first: $0, end: $0 + 1, identifiers: 1, names: names)
    }
    let read = try ProximityNote(decoding: note.encoded())
    #expect(read.sessions == Array(note.sessions.prefix(9)))
    note.sessions = note.sessions.map {
      NoteSession(first: $0.first, end: $0.end, identifiers: 1, names: [])
    }
    let short = try ProximityNote(decoding: note.encoded())
    #expect(short.sessions == Array(note.sessions.prefix(Limits.noteSessions)))
  }

  @Test func `a hostile note is refused, and never traps`() {
    var note = ProximityNote(report: notice())
    note.sessions = [NoteSession(first: 1, end: 2, identifiers: 3, names: ["Ben"])]
    let good = note.encoded()
    #expect(throws: DecodingFault.self) { try ProximityNote(decoding: good + [0]) }
    #expect(throws: DecodingFault.self) { try ProximityNote(decoding: Array(good.dropLast())) }
    var refused = 0
    for index in good.indices {
      var damaged = good
      damaged[index] ^= 0xFF
      do {
        let read = try ProximityNote(decoding: damaged)
        #expect(read.sessions.count <= Limits.noteSessions)
      } catch DecodingFault.truncated {
        continue
      } catch {
        refused += 1
      }
    }
    #expect(refused > good.count / 2)
  }

  @Test func `a name that would disguise a line is neither sent nor read`() throws {
    var note = ProximityNote()
    note.sessions = [
      NoteSession(first: 1, end: 2, identifiers: 3, names: ["\u{202E}neB", "", "abcdef"])
    ]
    let bytes = note.encoded()
    #expect(try ProximityNote(decoding: bytes).sessions.first?.names == ["abcdef"])
    let place = try #require(bytes.firstRange(of: Array("abcdef".utf8)))
    var hostile = bytes
    hostile.replaceSubrange(place, with: Array("\u{202E}neB".utf8))
    #expect(throws: DecodingFault.self) { try ProximityNote(decoding: hostile) }
  }

  @Test func `a sealed note has one to sixteen boxes`() {
    func sealed(boxes: Int, stated: UInt8? = nil) -> Value {
      let count = boxes * ProximityNote.boxBytes + ProximityNote.bodyBytes
      return .bytes([stated ?? UInt8(boxes)] + [UInt8](repeating: 0, count: count))
    }
    for boxes in [1, 16] { #expect(Field.exposureNote.accepts(sealed(boxes: boxes))) }
    for boxes in [0, 17] { #expect(!Field.exposureNote.accepts(sealed(boxes: boxes))) }
    #expect(!Field.exposureNote.accepts(sealed(boxes: 2, stated: 1)))
    #expect(!Field.exposureNote.accepts(.bytes([])))
  }
}
