import MusterCRDT
import MusterModel
import MusterTestKit
import Testing

@testable import MusterStore

@Suite("Rows of tracks")
struct TrackRowTests {
  private func track(_ number: UInt64, by author: Author) -> [Write] {
    let origin = RowOrigin(owner: author.user, nonce: name(number + 1))
    return [
      Write(
        row: RowID(raw: name(number)), field: .trackPoints,
        value: .bytes([1, UInt8(number % 200)]),
        origin: origin)
    ]
  }

  /// A store with a hundred tracks of one user and three of another.
  private func filled(_ store: Store) throws -> (many: Author, few: Author) {
    var scribes = [Scribe(1), Scribe(2)]
    var change = batch(scribes[0].opened(), scribes[1].opened())
    for number: UInt64 in 0..<103 {
      let index = number < 100 ? 0 : 1
      let writes = track(9000 + number * 2, by: scribes[index].author)
      change.frames.append(scribes[index].writing(writes))
    }
    _ = try store.commit(change)
    return (scribes[0].author, scribes[1].author)
  }

  @Test func `the tracks of a user are read without those of others`() throws {
    let store = try Store.inMemory()
    let (many, few) = try filled(store)
    #expect(try store.tracks(of: many.user).count == 100)
    // Given rows of the others that cannot be read
    try store.execute(
      unchecked: "UPDATE rows SET state = x'00' WHERE owner <> x'\(Hex.encode(few.user.bytes))'")
    // Then the user's own are read all the same.
    let rows = try store.tracks(of: few.user)
    #expect(rows.map(\.owner) == [few.user, few.user, few.user])
    #expect(rows.map(\.key.id) == rows.map(\.key.id).sorted())
    #expect(throws: StoreError.self) { try store.tracks(of: many.user) }
  }

  @Test func `a view that is derived again knows the owners of its tracks`() throws {
    let store = try Store.inMemory()
    let (_, few) = try filled(store)
    var scribes = [Scribe(1), Scribe(2)]
    var writes: [FramePosition: [AuthoredWrite]] = [:]
    for index in 0..<2 { _ = scribes[index].frame() }
    for number: UInt64 in 0..<103 {
      let index = number < 100 ? 0 : 1
      let held = scribes[index].writing(track(9000 + number * 2, by: scribes[index].author))
      guard case .applied(let authored, _) = held.application else { continue }
      writes[held.frame.place] = authored
    }
    let before = try store.tracks(of: few.user)
    try store.rebuildView { _, frame, _ in
      Reapplication(writes[frame.place].map { .applied(writes: $0, crossings: []) } ?? .nothing)
    }
    #expect(try store.tracks(of: few.user) == before)
  }
}
