internal import Foundation
internal import MusterCrypto
internal import MusterNode
internal import MusterTransport

/// The TLS identity of an instance, the same in all operations: TLS comes before the operation is
/// known. It is kept in `uplink.key` beside the homes: the secret of the key (32 bytes), then the
/// certificate.
enum InstanceIdentity {
  private static let secretBytes = 32

  /// Returns the stored identity, or a new one.
  static func load(in folder: String, seed: () -> [UInt8]) throws -> UplinkIdentity {
    let file = PrivateFile(in: folder, name: "uplink.key")
    let stored = try file.read().map(Array.init)
    let secret = stored.map { Array($0.prefix(secretBytes)) } ?? seed()
    guard secret.count == secretBytes else {
      throw ArchiveFault(
        "\(file.path) is damaged: remove it, and start again with a new certificate")
    }
    let identity = try UplinkIdentity(
      seed: { Blake2b.hash256(Array("muster archive uplink 1".utf8) + secret + [$0]).bytes },
      named: stored.map { [Array($0.dropFirst(secretBytes))] } ?? [])
    if stored.map({ Array($0.dropFirst(secretBytes)) }) != identity.certificate {
      try file.write(Data(secret + identity.certificate))
    }
    return identity
  }
}
