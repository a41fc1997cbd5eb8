import MusterCRDT
import MusterModel
import MusterTestKit

/// Three authors who write to one row for a while, each seeing only what reached them.
struct LongHistory {
  let key: RowKey
  private(set) var frames: [WrittenFrame] = []
  private(set) var holders: [Holder]
  private let people: [Author]
  private var random: SplitMix64

  init(seed: UInt64) throws(DecodingFault) {
    random = SplitMix64(seed: seed)
    key = .row(of: random.choice(of: EntityKind.allCases))
    let key = key
    people = [key.creator, random.choice(of: [.commander, .deputy]), .stranger]
    holders = [false, true, false].map { Holder(key, countsFrameInHand: $0) }
    let steps = 20 + random.number(below: 41)
    while frames.count < steps {
      let place = random.number(below: holders.count)
      switch random.number(below: 4) {
      case 0: try holders[place].restart()
      case 1: receive(at: place)
      default: write(at: place)
      }
    }
  }

  /// The frames in any order, some of them twice.
  mutating func delivery() -> [WrittenFrame] {
    (frames + frames.filter { _ in random.chance(oneIn: 4) }).shuffled(using: &random)
  }

  private mutating func receive(at place: Int) {
    let received = frames.filter { _ in random.chance(oneIn: 3) }.shuffled(using: &random)
    holders[place].receive(received)
  }

  private mutating func write(at place: Int) {
    let fields = Field.allCases.filter { $0.entity == key.kind }
    var writes: [Write] = []
    if frames.isEmpty, let existence = Field.existence(of: key.kind) {
      writes.append(Write(row: key.id, field: existence, value: .mark, origin: key.origin))
    }
    // A few fields are written often, so that conflicts occur.
    let narrow = fields.prefix(2) + fields.suffix(2)
    for _ in 0...random.number(below: 3) {
      let field = random.choice(of: random.chance(oneIn: 3) ? fields : Array(narrow))
      let seen = holders[place].row.dots(of: field).filter { _ in !random.chance(oneIn: 5) }
      writes.append(
        Write(
          row: key.id, field: field, value: random.chance(oneIn: 3) ? nil : field.example,
          supersedes: seen, takesEarlier: random.chance(oneIn: 2),
          origin: random.chance(oneIn: 9) ? key.origin : nil))
    }
    let author = frames.isEmpty ? key.creator : people[place]
    let frame = WrittenFrame(
      random.next() >> 24, by: author, sequence: UInt32(frames.count) + 1, writes)
    frames.append(frame)
    holders[place].receive(frame)
  }
}
