import Foundation
import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

/// Writes what fuzzers begin with: `make fuzz` names the folder in `MUSTER_FUZZ_SEEDS`. Without it
/// the files are removed again.
@Suite("Seeds for the fuzzers")
struct FuzzSeedTests {
  private static let named = ProcessInfo.processInfo.environment["MUSTER_FUZZ_SEEDS"]
  private static let folder =
    named.map { URL(filePath: $0) }
    ?? FileManager.default.temporaryDirectory.appending(path: "muster-seeds-\(getpid())")

  @Test func `one well-formed specimen of everything that comes from outside`() throws {
    defer { removeUnlessNamed() }
    var cast = Cast(seed: 99)
    let device = cast.enrolAtTheEndOfAChain(.command)
    let issued = cast.enrol(.member, by: nil).certificate
    var pen = Pen(device, epoch: cast.epoch, seed: 1)
    let station = Station(device, number: 1, epoch: cast.epoch, now: Instant(microseconds: 0))
    let (opening, frames) = pen.write(3, in: .urgent)
    let hint = LeafHint(key: frames[0].log.raw, number: 3, hash: 4)

    var packets: [Packet] = []
    func packet(_ fill: (inout Packet) -> Void) {
      var packet = Packet()
      fill(&packet)
      packets.append(packet)
    }
    packet { $0.wants = [Want(log: frames[0].log, from: 0, through: 3)] }
    packet { $0.runs = [Self.run(frames)] }
    packet { $0.records = [station.position(7)] }
    packet { $0.recordWants = [station.position(7).topic] }
    packet { $0.keyRequests = [cast.epoch.id] }
    packet { $0.keys = [cast.epoch] }
    packet { $0.roots = Roots(hashes: [1, 2, 3, 4, 5, 6, 7]) }
    packet { $0.heads = [hint] }
    packet {
      $0.digest = [
        DigestNode(
          set: .control, prefix: .root, contents: .children((0..<16).map { UInt64($0) }),
          answers: false),
        DigestNode(set: .records, prefix: .root, contents: .leaves([hint]), answers: true),
      ]
    }
    packet {
      $0.acknowledgement = Acknowledgement(
        largest: 9, delayMicroseconds: 50, before: 3, holdsRuns: true)
    }
    try Self.write(packets.map { $0.encoded() }, to: "packet")

    let clear = FrameBody(
      writtenAt: Timestamp(milliseconds: 1), contents: .operations([.certificate(issued)]))
    try Self.write([opening.encoded(), clear.encoded(writesAt: nil)], to: "control-frame")

    let request = JoinRequest(
      signingKey: device.signingKey, agreementKey: device.agreementKey.publicKey, rules: .current,
      binding: JoinRequestFile.binding(callsign: "Ada"))
    let grant = JoinGrant(
      rootKey: cast.rootKey.publicKey, operationName: "Ridge fire",
      chain: device.chain.certificates, networkKey: cast.networkKey.export(),
      epochKeys: [cast.epoch])
    let invitation = Invitation(
      rootKey: cast.rootKey.publicKey, secret: cast.random.bytes(16), role: .member,
      expiresAt: Timestamp(milliseconds: 5), operationName: "Ridge fire",
      endpoints: [Station.endpoint(1)])
    let files = [
      JoinRequestFile(callsign: "Ada", request: request).encoded(), grant.encoded(),
      invitation.encoded(),
    ]
    try Self.write(files, to: "joining")

    let key = BundledKey(
      epoch: cast.epoch.id, device: device.device,
      box: [UInt8](repeating: 1, count: BundledKey.boxBytes))
    let pieces: [BundleItem] = [
      .chain(device.chain.certificates), .frames(frames), .records([station.position(7)]),
      .keys([key]), .end,
    ]
    try Self.write(pieces.map { Self.piece($0) }, to: "bundle")

    let notice = ExposureNotice(
      id: ExposureID(raw: Bytes16(high: 1, low: 2)), kind: .contamination, text: "shower",
      keys: [ExposureKey(day: 2_642_976, key: Bytes16(high: 7, low: 1))])
    var note = ProximityNote(report: notice)
    note.withdrawn = [WithdrawalKey(raw: notice.id.raw)]
    note.matched = [notice.id]
    note.sessions = [NoteSession(first: 7, end: 9, identifiers: 12, names: ["Ben"])]
    try Self.write([notice.encoded(), note.encoded()], to: "exposure")
  }

  private func removeUnlessNamed() {
    guard Self.named == nil else { return }
    do { try FileManager.default.removeItem(at: Self.folder) } catch { Issue.record(error) }
  }

  /// As the fuzzer seals it.
  private static func piece(_ carried: BundleItem) -> [UInt8] {
    let plaintext = carried.encoded()
    return [UInt8(plaintext.count >> 8), UInt8(plaintext.count & 0xFF)] + plaintext
  }

  private static func run(_ frames: [Frame]) -> Run {
    Run(
      log: frames[0].log, first: 0, previous: nil,
      frames: frames.map { RunFrame(epoch: $0.epoch, body: $0.body, signature: $0.signature) })
  }

  private static func write(_ specimens: [[UInt8]], to target: String) throws {
    let folder = folder.appending(path: target)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (index, bytes) in specimens.enumerated() {
      #expect(!bytes.isEmpty)
      try Data(bytes).write(to: folder.appending(path: "specimen-\(index)"))
    }
  }
}
