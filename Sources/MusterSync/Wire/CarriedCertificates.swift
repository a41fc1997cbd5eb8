internal import MusterCrypto
public import MusterModel

/// Certificates that membership evidence carries, each with those of its issuers up to the root, so
/// that its signatures can be verified with nothing else at hand.
public struct CarriedCertificates: Hashable, Sendable {
  /// Each once, by hash.
  public let certificates: [SignedCertificate]

  /// - Parameter chains: leaf first, each up to the root.
  public init(_ chains: [[SignedCertificate]]) {
    let all = chains.joined().map { ($0.hash, $0) }
    certificates = Dictionary(all) { first, _ in first }.values.sorted { $0.hash < $1.hash }
  }

  /// Members of a council and a signer, with their issuers.
  static let most = (Limits.councilMembers.upperBound + 1) * Limits.certificateChain

  /// count ‖ (length ‖ certificate ‖ signature) each
  var content: [UInt8] {
    var writer = ByteWriter()
    writer.append(UInt8(certificates.count))
    for signed in certificates {
      writer.append(lengthPrefixed: signed.content)
      writer.append(fixed: signed.signature.bytes)
    }
    return writer.bytes
  }

  init(reading reader: inout ByteReader) throws(DecodingFault) {
    var certificates: [SignedCertificate] = []
    for _ in 0..<(try reader.integer(UInt8.self)) {
      let content = try reader.lengthPrefixed()
      let signature = try reader.fixed(Signature.byteCount)
      let signed: SignedCertificate
      do {
        signed = try SignedCertificate(content: content, signature: signature)
      } catch {
        throw .invalid("certificate")
      }
      guard certificates.last.map({ $0.hash < signed.hash }) ?? true else {
        throw .invalid("order of certificates")
      }
      certificates.append(signed)
    }
    guard certificates.count <= Self.most else { throw .invalid("count") }
    self.certificates = certificates
  }

  /// The certificate with a hash, if it is carried.
  public subscript(hash: CertificateHash) -> SignedCertificate? {
    certificates.first { $0.hash == hash }
  }

  /// A certificate and those of its issuers, leaf first; nil where one is missing or there are more
  /// than `Limits.certificateChain`.
  public func chain(of hash: CertificateHash) -> [SignedCertificate]? {
    var (chain, next) = ([SignedCertificate](), hash)
    while next != .root {
      guard chain.count < Limits.certificateChain, let signed = self[next] else { return nil }
      chain.append(signed)
      next = signed.certificate.issuer
    }
    return chain
  }

  /// Whether each is signed by its issuer, a `command` device that is carried too, or by the root.
  /// Each signature is verified once.
  func hold(operation: OperationID, rootKey: VerifyingKey) -> Bool {
    certificates.allSatisfy { signed in
      let certificate = signed.certificate
      guard certificate.operation == operation, chain(of: signed.hash) != nil else {
        return false
      }
      if certificate.issuer == .root { return signed.isSigned(by: rootKey) }
      guard let issuer = self[certificate.issuer]?.certificate, issuer.role == .command else {
        return false
      }
      return signed.isSigned(by: issuer.signingKey)
    }
  }
}
