import Foundation
import MusterCrypto
import MusterModel
import MusterNode
import MusterSync
import MusterTestKit

@testable import MusterArchive
@testable import MusterReplica

/// An operation with one commander, Ada, whose control log admits Ben.
struct World {
  let root: SigningKey
  let operation: OperationID
  let ada: Author
  let ben: Author

  /// A device with its certificate.
  struct Author {
    let key: SigningKey
    let agreement: AgreementKey
    let certificate: SignedCertificate
  }

  init(seed: UInt8 = 1) throws {
    root = try SigningKey(seed: [UInt8](repeating: seed, count: 32))
    operation = OperationID(rootKey: root.publicKey)
    ada = try Self.author(2, role: .command, issuer: .root, by: root, in: operation)
    ben = try Self.author(
      3, role: .member, issuer: ada.certificate.hash, by: ada.key, in: operation)
  }

  static func author(
    _ number: UInt8, role: Role, issuer: CertificateHash, by key: SigningKey,
    in operation: OperationID
  ) throws -> Author {
    let own = try SigningKey(seed: [UInt8](repeating: number, count: 32))
    let agreement = try AgreementKey(secret: [UInt8](repeating: number, count: 32))
    let certificate = Certificate(
      operation: operation, issuer: issuer,
      user: UserID(operation: operation, firstDeviceKey: own.publicKey),
      signingKey: own.publicKey, agreementKey: agreement.publicKey, role: role)
    return Author(
      key: own, agreement: agreement, certificate: SignedCertificate(certificate, signedBy: key))
  }

  /// A log of clear frames: its opening, and one frame for each body.
  func log(
    of author: Author, lane: Lane, bodies: [[UInt8]], generation: UInt32 = 1,
    in other: OperationID? = nil
  ) -> [Frame] {
    let operation = other ?? operation
    let opening = Opening(
      certificate: author.certificate.hash,
      incarnation: Incarnation(raw: Bytes16(high: 7, low: 7)), generation: generation, lane: lane)
    let log = LogID(operation: operation, opening: opening)
    var frames: [Frame] = []
    for (number, body) in ([opening.encoded()] + bodies).enumerated() {
      frames.append(
        .clear(
          operation: operation, log: log, sequence: UInt64(number),
          previous: frames.last?.hash ?? .none, body: body, signedBy: author.key))
    }
    return frames
  }

  func admission() -> [UInt8] {
    FrameBody(
      writtenAt: Timestamp(milliseconds: 0),
      contents: .operations([.certificate(ben.certificate)])
    ).encoded(writesAt: nil)
  }

  /// A long log of Ada's, signed as nodes keep it: at each interval and at the end.
  func longLog(frames count: Int, bytes: Int = 500) -> [Frame] {
    var random = SplitMix64(seed: 7)
    let bodies = (0..<count - 1).map { _ in
      (0..<bytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
    var frames = log(of: ada, lane: .state, bodies: bodies)
    for index in frames.indices.dropLast()
    where frames[index].sequence % Limits.signatureInterval != 0 {
      frames[index].signature = nil
    }
    return frames
  }

  /// Ada's device, with the network key of the operation.
  func local() throws -> LocalDevice {
    guard let networkKey = SealingKey(bytes: root.exportSeed()),
      let local = LocalDevice(
        operationName: "River flood", rootKey: root.publicKey, networkKey: networkKey,
        signingKey: ada.key, agreementKey: ada.agreement, chain: [ada.certificate])
    else { throw Failed("Ada's device is not valid") }
    return local
  }

  /// A bundle of Ada's with some runs.
  func bundle(_ runs: [[Frame]]) throws -> [UInt8] {
    var random = DeterministicRandom(seed: [UInt8](repeating: 5, count: 32))
    let form = BundleForm(of: try local(), salt: random.bytes16())
    let items = [.chain([ada.certificate])] + runs.map { BundleItem.frames($0) } + [.end]
    return items.enumerated().reduce(form.header) { bytes, item in
      bytes + form.sealed(item.element, number: UInt64(item.offset), nonce: random.nonce24())
    }
  }

  /// Writes the keys of Ada's device into a new home, for the program.
  func writeHome(in folder: URL) throws -> String {
    let home = folder.appending(path: "home").path
    let located = NodeHome.locate(home: home, keys: nil, environment: [:])
    try located.create()
    let file = try Credentials(local()).keyFile(
      passphrase: nil, seed: [UInt8](repeating: 4, count: 32))
    try located.keys.create(NodeHome.deviceKeyName, file)
    return home
  }

  func verifier() -> FrameVerifier {
    var verifier = FrameVerifier(
      operation: operation,
      certificates: KnownCertificates(operation: operation, rootKey: root.publicKey))
    verifier.add(ada.certificate)
    return verifier
  }
}
