import MusterCRDT
import MusterModel
import MusterStore
import Testing

@Suite("Frames held and not applied")
struct WaitingTests {
  let key = EpochID(raw: name(50))

  @Test func `frames wait by key and are applied when it comes`() throws {
    // Given two frames under an unknown key, and one of an unknown kind
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let opened = scribe.opened()
    let sealed = [scribe.waiting(for: .key(key)), scribe.waiting(for: .key(key))]
    let strange = scribe.waiting(for: .unknownOperation)
    _ = try store.commit(batch(opened, sealed[0], sealed[1], strange))
    #expect(try store.waiting(for: key, limit: 10).map(\.frame) == sealed.map(\.frame))
    #expect(
      try store.waiting(limit: 10).map(\.reason) == [.key(key), .key(key), .unknownOperation])
    #expect(try store.waiting(limit: 10).allSatisfy { $0.opening == scribe.opening })
    #expect(try store.row(reportKey(7)) == nil)

    // When the key comes
    var release = Batch()
    release.epochKeys = [StoredEpochKey(id: key, key: .zero)]
    let writes = scribe.authored(
      report(7, by: scribe.author, title: "Smoke"), in: sealed[0].frame)
    release.released = [
      ReleasedFrame(
        place: place(sealed[0]), application: .applied(writes: writes, crossings: [crossing(3)])),
      ReleasedFrame(place: place(sealed[1]), application: .nothing),
    ]
    let outcome = try store.commit(release)

    // Then they are applied, and the other goes on waiting
    #expect(outcome.framesReleased == 2)
    #expect(outcome.changedRows == [reportKey(7)])
    #expect(outcome.newCrossings.map(\.recorded) == [crossing(3)])
    #expect(try store.row(reportKey(7))?.shown(.reportTitle)?.value == .text("Smoke"))
    #expect(try store.waiting(limit: 10).map(\.frame) == [strange.frame])
    #expect(try store.counts().waiting == 1)
  }

  @Test func `a frame is released once`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let opened = scribe.opened()
    let sealed = scribe.waiting(for: .part)
    var release = batch(opened, sealed)
    let writes = scribe.authored(report(7, by: scribe.author, title: "Smoke"), in: sealed.frame)
    let released = ReleasedFrame(
      place: place(sealed), application: .applied(writes: writes, crossings: []))
    release.released = [released, released]

    let outcome = try store.commit(release)

    #expect(outcome.framesReleased == 1)
    #expect(outcome.framesKnown == 1)
    #expect(try store.row(reportKey(7))?.values(of: .reportTitle).count == 1)
    #expect(try store.counts().waiting == 0)
  }

  @Test func `a frame may come to wait for something else`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    let opened = scribe.opened()
    let sealed = scribe.waiting(for: .key(key))
    _ = try store.commit(batch(opened, sealed))
    var change = Batch()
    change.released = [
      ReleasedFrame(place: place(sealed), application: .waiting(.certificate))
    ]

    let outcome = try store.commit(change)

    #expect(outcome.framesReleased == 0)
    #expect(try store.waiting(for: key, limit: 10).isEmpty)
    #expect(try store.waiting(limit: 10).map(\.reason) == [.certificate])
  }

  @Test func `a release of a frame that is not held is refused whole`() throws {
    let store = try Store.inMemory()
    var scribe = Scribe(1)
    _ = try store.commit(batch(scribe.opened()))
    let ahead = FramePosition(log: scribe.log, sequence: 1)
    var change = Batch()
    change.local = ["counter": [1]]
    change.released = [ReleasedFrame(place: ahead, application: .nothing)]

    #expect(throws: StoreError.gap(ahead)) { try store.commit(change) }
    #expect(try store.local("counter") == nil)
  }

  @Test func `many waiting frames are read page by page`() throws {
    let store = try Store.inMemory()
    var held: [Frame] = []
    for number in [3, 1, 2] as [UInt64] {
      var scribe = Scribe(number)
      var change = batch(scribe.opened())
      for _ in 0..<7 { change.frames.append(scribe.waiting(for: .key(key))) }
      held += change.frames.dropFirst().map(\.frame)
      _ = try store.commit(change)
    }

    for epoch in [nil, key] {
      var read: [Frame] = []
      while true {
        let last = read.last.map { FramePosition(log: $0.log, sequence: $0.sequence) }
        let page = try store.waiting(for: epoch, after: last, limit: 4)
        if page.isEmpty { break }
        read += page.map(\.frame)
      }
      #expect(read == held)
    }
  }

  @Test func `what a waiting frame supersedes is not gone yet`() throws {
    // Given a title whose frame waits for its key
    let store = try Store.inMemory()
    var author = Scribe(1)
    var deputy = Scribe(2)
    let opened = author.opened()
    let created = author.writing(report(7, by: author.author, title: "Smoke"))
    let sealed = author.waiting(for: .key(key))
    _ = try store.commit(batch(opened, created, sealed))
    let seen = Dot(frame: sealed.frame.hash.raw.prefix, index: 0)

    // When an edit supersedes it, and then its key comes
    _ = try store.commit(
      batch(deputy.opened(), deputy.writing([title(7, "Fire", superseding: [seen])])))
    var release = Batch()
    release.released = [
      ReleasedFrame(
        place: place(sealed),
        application: .applied(
          writes: author.authored([title(7, "Smoke?")], in: sealed.frame), crossings: []))
    ]
    _ = try store.commit(release)

    // Then it is not shown, and neither is what its author wrote before it
    let texts = try #require(try store.row(reportKey(7))).values(of: .reportTitle).map(\.value)
    #expect(texts == [.text("Fire")])
  }

  private func place(_ held: HeldFrame) -> FramePosition {
    FramePosition(log: held.frame.log, sequence: held.frame.sequence)
  }
}
