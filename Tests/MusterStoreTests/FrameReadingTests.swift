import MusterModel
import MusterStore
import Testing

@Suite("Reading the log")
struct FrameReadingTests {
  let store: Store
  let scribe: Scribe
  let frames: [Frame]

  /// Ten frames of 100 bytes each.
  init() throws {
    store = try Store.inMemory()
    var scribe = Scribe(1)
    var batch = batch(
      HeldFrame(
        frame: scribe.frame(body: [UInt8](repeating: 0, count: 100)), opening: scribe.opening,
        application: .nothing))
    for number in 1..<10 {
      let body = [UInt8](repeating: UInt8(number), count: 100)
      batch.frames.append(HeldFrame(frame: scribe.frame(body: body), application: .nothing))
    }
    _ = try store.commit(batch)
    self.scribe = scribe
    frames = batch.frames.map(\.frame)
  }

  @Test func `a run begins where it is asked to and knows what came before`() throws {
    #expect(
      try store.frames(log: scribe.log, from: 4, maxBytes: 10_000, maxFrames: 3)
        == Array(frames[4..<7]))
    #expect(
      try store.frames(log: scribe.log, from: 8, maxBytes: 10_000, maxFrames: .max)
        == Array(frames[8...]))
  }

  @Test func `a run stays within its bytes, and always makes progress`() throws {
    #expect(
      try store.frames(log: scribe.log, from: 0, maxBytes: 350, maxFrames: 9)
        == Array(frames[0..<3]))
    #expect(
      try store.frames(log: scribe.log, from: 2, maxBytes: 10, maxFrames: 9) == [frames[2]])
    #expect(try store.frames(log: scribe.log, from: 2, maxBytes: 1000, maxFrames: 0).isEmpty)
  }

  @Test func `past the head and in unknown logs there is nothing`() throws {
    let unknown = LogID(raw: name(99))
    #expect(try store.frames(log: scribe.log, from: 10, maxBytes: 100, maxFrames: 9).isEmpty)
    #expect(try store.frames(log: scribe.log, from: .max, maxBytes: 100, maxFrames: 9).isEmpty)
    #expect(try store.frames(log: unknown, from: 0, maxBytes: 100, maxFrames: 9).isEmpty)
    #expect(try store.log(unknown) == nil)
    #expect(try store.frame(FramePosition(log: scribe.log, sequence: 10)) == nil)
    #expect(try store.frame(FramePosition(log: scribe.log, sequence: 9)) == frames[9])
  }

  @Test func `logs do not run into one another`() throws {
    var second = Scribe(2)
    var third = Scribe(3)
    let more = batch(second.opened(), third.opened(), second.silent(), third.silent())
    _ = try store.commit(more)

    #expect(
      try store.frames(log: second.log, from: 0, maxBytes: 10_000, maxFrames: 9)
        == [more.frames[0].frame, more.frames[2].frame])
    #expect(try store.logs().map(\.head.log) == [scribe.log, second.log, third.log].sorted())
    #expect(try store.counts().logs == 3)
    #expect(try store.counts().frames == 14)
  }

  @Test func `all frames stream by log and sequence`() throws {
    var second = Scribe(2)
    let more = batch(second.opened(), second.silent())
    _ = try store.commit(more)
    let expected = (frames + more.frames.map(\.frame)).sorted {
      ($0.log, $0.sequence) < ($1.log, $1.sequence)
    }

    var streamed: [Frame] = []
    try store.forEachFrame { opening, frame in
      #expect(opening == (frame.log == second.log ? second.opening : scribe.opening))
      streamed.append(frame)
    }

    #expect(streamed == expected)
  }

  @Test func `a stream hands on what its reader throws`() throws {
    struct Enough: Error {}
    var count = 0
    #expect(throws: Enough.self) {
      try store.forEachFrame { _, _ in
        count += 1
        if count == 3 { throw Enough() }
      }
    }
    #expect(count == 3)
    #expect(try store.counts().frames == 10)
  }
}
