import Foundation
import MusterCrypto
import MusterModel
import MusterStore
import MusterTestKit
import SQLiteSeal

/// Of every database of these tests.
let seal = PageSeal(key: pageKey(1), seed: [UInt8](repeating: 1, count: 32))

/// The key of a device that a small number stands for.
func pageKey(_ number: UInt64) -> PageKey {
  var random = DeterministicRandom(
    seed: (0..<32).map { UInt8(truncatingIfNeeded: number >> UInt64($0 % 8 * 8)) })
  return PageKey(of: random.signingKey())
}

extension SplitMix64 {
  mutating func bytes16() -> Bytes16 { Bytes16(high: next(), low: next()) }
}

/// Sixteen bytes that a small number stands for.
func name(_ number: UInt64) -> Bytes16 {
  var random = SplitMix64(seed: number)
  return random.bytes16()
}

/// The author of one log, who chains frames as a real one does; nothing here checks signatures.
struct Scribe {
  let opening: Opening
  let log: LogID
  let author: Author
  private(set) var head: Head?

  init(_ number: UInt64, lane: Lane = .state, role: Role = .command) {
    author = Author(
      user: UserID(raw: name(1000 + number)), device: DeviceID(raw: name(2000 + number)), role: role
    )
    log = LogID(raw: name(3000 + number * 10 + UInt64(lane.rawValue)))
    opening = Opening(
      certificate: CertificateHash(raw: Bytes32(prefix: name(4000 + number), suffix: .zero)),
      incarnation: Incarnation(raw: name(5000 + number)), generation: 1, lane: lane)
  }

  /// The next frame of the log, as it would come out of verification.
  mutating func frame(
    epoch: EpochID? = nil, body: [UInt8] = [1, 2, 3], branch: UInt64 = 0
  ) -> Frame {
    let sequence = head.map { $0.sequence + 1 } ?? 0
    var random = SplitMix64(seed: log.raw.low ^ sequence &* 0x9E37_79B9 ^ branch << 40)
    let hash = FrameHash(raw: Bytes32(prefix: random.bytes16(), suffix: random.bytes16()))
    let frame = Frame(
      log: log, sequence: sequence, previous: head?.hash ?? .none, epoch: epoch, body: body,
      hash: hash, signature: sequence % 2 == 0 ? [UInt8](repeating: 7, count: 64) : nil)
    head = Head(log: log, sequence: sequence, hash: hash)
    return frame
  }

  mutating func opened() -> HeldFrame {
    HeldFrame(frame: frame(), opening: opening, application: .nothing)
  }

  mutating func silent() -> HeldFrame { HeldFrame(frame: frame(), application: .nothing) }

  mutating func waiting(for reason: WaitReason) -> HeldFrame {
    var epoch: EpochID?
    if case .key(let id) = reason { epoch = id }
    return HeldFrame(frame: frame(epoch: epoch), application: .waiting(reason))
  }

  mutating func writing(_ writes: [Write], crossings: [RecordedCrossing] = []) -> HeldFrame {
    let frame = frame()
    return HeldFrame(
      frame: frame,
      application: .applied(writes: authored(writes, in: frame), crossings: crossings))
  }

  func authored(_ writes: [Write], in frame: Frame) -> [AuthoredWrite] {
    writes.enumerated().map { index, write in
      AuthoredWrite(
        write: write, dot: Dot(frame: frame.hash.raw.prefix, index: UInt16(index)), author: author,
        writtenAt: Timestamp(milliseconds: Int64(frame.sequence) * 1000))
    }
  }
}

func batch(_ frames: HeldFrame...) -> Batch {
  var batch = Batch()
  batch.frames = frames
  return batch
}

/// Creates a report: its existence and its title.
func report(_ number: UInt64, by author: Author, title: String) -> [Write] {
  let row = RowID(raw: name(number))
  let origin = RowOrigin(owner: author.user, nonce: name(number + 1))
  return [
    Write(row: row, field: .reportExistence, value: .mark, origin: origin),
    Write(row: row, field: .reportTitle, value: .text(title)),
  ]
}

func title(_ number: UInt64, _ text: String, superseding dots: [Dot] = []) -> Write {
  Write(
    row: RowID(raw: name(number)), field: .reportTitle, value: .text(text), supersedes: dots)
}

func overwriting(_ write: Write) -> Write {
  var write = write
  write.takesEarlier = true
  return write
}

func reportKey(_ number: UInt64) -> RowKey { RowKey(kind: .report, id: RowID(raw: name(number))) }

func fix(_ number: Int64) -> Fix {
  guard let place = Coordinate(latitudeE7: 480_000_000 + number, longitudeE7: -1_100_000_000)
  else { preconditionFailure("\(number) leaves the map") }
  return Fix(
    position: place, accuracyDecimetres: number % 2 == 0 ? nil : 35,
    sampleTime: Timestamp(milliseconds: number * 1000))
}

func crossing(_ number: UInt64, transition: UInt32 = 1) -> RecordedCrossing {
  let author = Scribe(number).author
  return RecordedCrossing(
    id: CrossingID(raw: name(number)),
    crossing: Crossing(
      type: transition % 2 == 1 ? .enter : .exit, fence: RowID(raw: name(71)),
      fenceVersion: FenceVersion(raw: name(72)), subject: author.device, transition: transition,
      fix: fix(Int64(number)), isBaseline: number % 2 == 0),
    author: author, writtenAt: Timestamp(milliseconds: Int64(number)))
}

func record(_ topic: UInt64, _ generation: UInt32, _ counter: UInt64) -> LatestRecord {
  LatestRecord(
    topic: RecordTopic(raw: name(topic)), kind: .position, certificate: .root,
    order: order(generation, counter), epoch: EpochID(raw: name(9)),
    body: [UInt8(truncatingIfNeeded: counter)], signature: [9])
}

func order(_ generation: UInt32, _ counter: UInt64) -> RecordOrder {
  RecordOrder(
    generation: generation, incarnation: Incarnation(raw: name(UInt64(generation))),
    counter: counter)
}
