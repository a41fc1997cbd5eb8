import Foundation
import MusterModel
import Testing

@testable import MusterCrypto
@testable import MusterSync

/// Golden bytes, made with keys from fixed seeds: what `docs/wire.md` cites, and what another
/// implementation would be checked against. The same values stand in
/// `keys/test-vectors/wire.json`.
@Suite("Golden bytes")
struct WireVectorTests {
  private let file = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("keys/test-vectors/wire.json")

  @Test func `are those of the published file, name by name`() throws {
    let published = try JSONDecoder().decode(
      [String: String].self, from: Data(contentsOf: file))
    let computed = try Self.vectors()
    #expect(published.keys.sorted() == computed.keys.sorted())
    for name in computed.keys.sorted() {
      #expect(published[name] == computed[name], "\(name) is \(computed[name] ?? "")")
    }
  }

  @Test func `a header is of fixed width`() throws {
    let vectors = try Self.vectors()
    #expect(vectors["frame.header"]?.count == 2 * 166)
    #expect(vectors["certificate.content"]?.count == 2 * 149)
    #expect(vectors["opening.header"]?.hasPrefix(Hex.encode(Array("muster frame 1".utf8))) == true)
  }

  private static func fill(_ byte: UInt8, _ count: Int) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
  }

  private static func list(_ original: BlobTree, _ thumbnail: BlobTree) throws -> [BlobListing] {
    try [(original, BlobKind.original), (thumbnail, .thumbnail)].map { tree, kind in
      try #require(
        BlobListing(root: tree.root, length: UInt32(tree.shape.length), kind: kind))
    }.sorted()
  }

  private static func confirmedContent(
    _ row: RowID, _ operation: OperationID
  ) throws -> [UInt8] {
    let content = ReportContent(
      title: "fire on the ridge", category: .fire, severity: 4,
      position: try #require(Coordinate(latitudeE7: 460_500_000, longitudeE7: -145_000_000)),
      toEvacuate: true, details: "Two houses")
    return ConfirmedContent(of: content, operation: operation, row: row).encoded
  }

  private static func vectors() throws -> [String: String] {
    let rootKey = try SigningKey(seed: fill(1, 32))
    let signingKey = try SigningKey(seed: fill(2, 32))
    let agreementKey = try AgreementKey(secret: fill(3, 32))
    let epochKey = try #require(SealingKey(bytes: fill(4, 32)))
    let nonce = try #require(Nonce24(bytes: fill(5, 24)))
    let incarnation = Incarnation(raw: try #require(Bytes16(fill(6, 16))))
    let operation = OperationID(rootKey: rootKey.publicKey)
    let user = UserID(operation: operation, firstDeviceKey: signingKey.publicKey)
    let signed = SignedCertificate(
      Certificate(
        operation: operation, issuer: .root, user: user, signingKey: signingKey.publicKey,
        agreementKey: agreementKey.publicKey, role: .command), signedBy: rootKey)
    let opening = Opening(
      certificate: signed.hash, incarnation: incarnation, generation: 1, lane: .state)
    let log = LogID(operation: operation, opening: opening)
    let epoch = EpochID(operation: operation, key: epochKey.export())
    var vectors: [String: [UInt8]] = [
      "seed.root": fill(1, 32), "seed.signing": fill(2, 32), "seed.agreement": fill(3, 32),
      "seed.epoch": fill(4, 32), "nonce": fill(5, 24), "incarnation": incarnation.bytes,
      "root.key": rootKey.publicKey.bytes, "signing.key": signingKey.publicKey.bytes,
      "agreement.key": agreementKey.publicKey.bytes, "operation.id": operation.bytes,
      "user.id": user.bytes,
      "device.id": DeviceID(operation: operation, key: signingKey.publicKey).bytes,
      "certificate.content": signed.content, "certificate.signature": signed.signature.bytes,
      "certificate.hash": signed.hash.bytes, "log.id": log.bytes, "epoch.id": epoch.bytes,
      "row.id": RowID(
        operation: operation, origin: RowOrigin(owner: user, nonce: incarnation.raw)
      ).bytes,
      "invite.id": InviteID(secret: fill(7, 16)).bytes,
      "topic.id": RecordTopic(
        operation: operation, certificate: signed.hash, kind: .position
      ).bytes,
      "alert.row": RowID(
        operation: operation, alert: AlertID(kind: .help, row: RowID(raw: user.raw))
      ).bytes,
      "fence.version": FenceVersion(
        geometry: Dot(frame: incarnation.raw, index: 1), active: nil
      ).bytes,
      "confirmed.content": try confirmedContent(
        RowID(operation: operation, origin: RowOrigin(owner: user, nonce: incarnation.raw)),
        operation),
    ]
    let first = Frame.clear(
      operation: operation, log: log, sequence: 0, previous: .none, body: opening.encoded(),
      signedBy: signingKey)
    let second = Frame.sealed(
      operation: operation, log: log, sequence: 1, previous: first.hash, epoch: epoch,
      plaintext: Array("fire on the ridge".utf8), key: epochKey, nonce: nonce,
      signedBy: signingKey)
    let blob = BlobTree(of: (0..<40_000).map { UInt8($0 % 251) })
    let list = try Self.list(blob, BlobTree(of: (0..<1000).map { UInt8($0 % 251) }))
    let photo = Frame.sealed(
      operation: operation, log: log, sequence: 1, previous: first.hash, epoch: epoch,
      plaintext: Array("fire on the ridge".utf8), key: epochKey, nonce: nonce, blobs: list,
      signedBy: signingKey)
    let blobID = BlobID(root: blob.root, length: 40_000)
    let proof = blob.proof(of: 1)
    vectors["blob.root"] = blob.root.bytes
    vectors["blob.id"] = blobID.bytes
    vectors["blob.proof"] = (proof.leaves + proof.path).flatMap(\.bytes)
    vectors["photo.id"] =
      PhotoID(author: user, dot: Dot(frame: incarnation.raw, index: 1)).bytes
    vectors["blob.list"] = BlobListing.encoded(list)
    for (name, frame) in [("opening", first), ("frame", second), ("photo", photo)] {
      vectors[name + ".body"] = frame.body
      vectors[name + ".header"] =
        frame.header.additionalData(operation: operation) + Blake2b.hash256(frame.body).bytes
      vectors[name + ".hash"] = frame.hash.bytes
      vectors[name + ".signature"] = frame.signature
    }
    let device = DeviceID(operation: operation, key: signingKey.publicKey)
    vectors["duress.field"] = DuressField.make(
      isCall: true, to: [agreementKey.publicKey],
      context: DuressField.Context(
        operation: operation, device: device,
        row: RowID(operation: operation, origin: RowOrigin(owner: user, nonce: incarnation.raw))),
      ephemeral: SecretBytes(fill(9, 32)))
    let order = RecordOrder(generation: 1, incarnation: incarnation, counter: 1)
    let other = IncarnationName(
      generation: 2, incarnation: Incarnation(raw: try #require(Bytes16(fill(8, 16)))))
    let time = Timestamp(milliseconds: 1_000)
    let boot = BootID(operation: operation, device: device, systemBoot: Array("a boot".utf8))
    let stamp = try #require(Stamp(boot: boot, milliseconds: 3_600_000))
    let echoes = [StampedRecordID(second.hash), StampedRecordID(raw: incarnation.raw)]
    let plain = try #require(RecordStamp(stamp, echoes: nil))
    let anchor = try #require(RecordStamp(stamp, echoes: echoes))
    let place = try #require(Coordinate(latitudeE7: 460_500_000, longitudeE7: -145_000_000))
    let neighbours = NeighbourRecord(
      sentAt: time,
      neighbours: [
        Neighbour(device: DevicePrefix(device), path: .multicast, minutes: 1),
        Neighbour(
          device: try #require(DevicePrefix(raw: 1)), path: .uplink,
          minutes: Neighbour.mostMinutes),
      ])
    let records: [String: LatestRecord] = [
      "receipt": .receipt(
        Receipt(log: log, head: Head(log: log, sequence: 1, hash: second.hash)),
        operation: operation, certificate: signed.hash, order: order, signedBy: signingKey),
      "blobs": .blobReceipt(
        BlobReceipt(log: log, sequence: 1, missing: [blobID]), operation: operation,
        certificate: signed.hash, order: order, signedBy: signingKey),
      "neighbours": .neighbours(
        neighbours, operation: operation, certificate: signed.hash, order: order, epoch: epoch,
        key: epochKey, nonce: nonce, signedBy: signingKey),
      "lives": .otherIncarnations(
        [other], operation: operation, certificate: signed.hash, order: order,
        signedBy: signingKey),
      "clone": .clone(
        CloneReport(other: other, noticedAt: time), operation: operation,
        certificate: signed.hash, order: order, signedBy: signingKey),
      "position": .position(
        PositionReport(
          fix: Fix(position: place, accuracyDecimetres: 50, sampleTime: time), reportedAt: time),
        stamp: plain, operation: operation, certificate: signed.hash, order: order, epoch: epoch,
        key: epochKey, nonce: nonce, signedBy: signingKey),
      "coarse": .position(
        PositionReport(
          fix: Fix(position: place, accuracyDecimetres: 5000, sampleTime: time), reportedAt: time),
        after: [
          EarlierFix(
            order: RecordOrder(
              generation: 1, incarnation: try #require(Incarnation(bytes: fill(5, 16))), counter: 7
            ), position: place, accuracyDecimetres: nil),
          EarlierFix(
            order: RecordOrder(generation: 1, incarnation: incarnation, counter: 0),
            position: place, accuracyDecimetres: 1001),
        ], stamp: plain, operation: operation, certificate: signed.hash, order: order,
        epoch: epoch, key: epochKey, nonce: nonce, signedBy: signingKey),
      "presence": .presence(
        reportedAt: time, stamp: anchor, operation: operation, certificate: signed.hash,
        order: order, epoch: epoch, key: epochKey, nonce: nonce, signedBy: signingKey),
    ]
    vectors["boot.id"] = boot.bytes
    vectors["stamp.plain"] = plain.wire.bytes
    vectors["stamp.anchor"] = anchor.wire.bytes
    vectors["stamp.body"] =
      FrameBody(writtenAt: time, contents: .operations([]), stamp: anchor)
      .encoded(writesAt: nil)
    vectors["principal.login"] =
      FrameBody(writtenAt: time, contents: .operations([]), onBehalfOf: .login("Rui"))
      .encoded(writesAt: nil)
    vectors["principal.person"] =
      FrameBody(
        writtenAt: time, contents: .operations([]), stamp: anchor, onBehalfOf: .person(user)
      ).encoded(writesAt: nil)
    vectors["stamp.name"] = StampedRecordID(second.hash).bytes
    vectors["presence.name"] = try StampedRecordID(
      #require(records["presence"]), operation: operation
    ).bytes
    for (name, record) in records {
      vectors[name + ".topic"] = record.topic.bytes
      vectors[name + ".body"] = record.body
      vectors[name + ".signature"] = record.signature
    }
    let twins = [try #require(records["position"]), try #require(records["coarse"])]
    let evidence = EvidenceItem(
      try #require(TwinProof(twins, chain: [signed])), operation: operation)
    vectors["twins.proof"] = evidence.content
    vectors["twins.id"] = evidence.id.bytes
    for (name, bytes) in try stated(
      signed, signingKey: signingKey, agreementKey: agreementKey, rootKey: rootKey,
      networkKey: epochKey, nonce: nonce, incarnation: incarnation)
    {
      vectors[name] = bytes
    }
    return vectors.mapValues { Hex.encode($0) }
  }

  /// What states a rules version.
  private static func stated(
    _ certificate: SignedCertificate, signingKey: SigningKey, agreementKey: AgreementKey,
    rootKey: SigningKey, networkKey: SealingKey, nonce: Nonce24, incarnation: Incarnation
  ) throws -> [String: [UInt8]] {
    let local = try #require(
      LocalDevice(
        operationName: "Ridge fire", rootKey: rootKey.publicKey, networkKey: networkKey,
        signingKey: signingKey, agreementKey: agreementKey, chain: [certificate]))
    let announce = Announce(
      certificate: certificate.hash.raw.prefix.high, incarnation: incarnation.raw.high, counter: 1)
    let request = JoinRequest(
      signingKey: signingKey, agreementKey: agreementKey.publicKey, rules: local.rulesVersion,
      binding: JoinRequestFile.binding(callsign: "Ada"))
    return [
      "announce.datagram": announce.datagram(
        rules: local.rulesVersion, operation: local.operation, networkKey: networkKey,
        nonce: nonce, signedBy: signingKey),
      "join.signature": request.signature.bytes,
      "bundle.header": BundleForm(of: local, salt: incarnation.raw).header,
    ]
  }
}
