internal import MusterCrypto
public import MusterModel

/// The certificates that an item of membership evidence carries, with those of all issuers up to
/// the root. Its signatures can be verified without other data.
public struct CarriedCertificates: Hashable, Sendable {
  /// In ascending order of hashes, each once.
  public let certificates: [SignedCertificate]

  /// - Parameter chains: chains up to the root, leaf first.
  public init(_ chains: [[SignedCertificate]]) {
    let all = chains.joined().map { ($0.hash, $0) }
    certificates = Dictionary(all) { first, _ in first }.values.sorted { $0.hash < $1.hash }
  }

  /// The maximum number: the members of the largest council and a signer, each with a full chain.
  static let most = (Limits.councilMembers.upperBound + 1) * Limits.certificateChain

  /// count ‖ (length ‖ certificate ‖ signature) for each
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

  /// Returns the certificate with a hash, or nil if it is not carried.
  public subscript(hash: CertificateHash) -> SignedCertificate? {
    certificates.first { $0.hash == hash }
  }

  /// Returns the chain of a certificate, leaf first. Returns nil if a certificate is missing, or if
  /// the chain is longer than `Limits.certificateChain`.
  public func chain(of hash: CertificateHash) -> [SignedCertificate]? {
    var (chain, next) = ([SignedCertificate](), hash)
    while next != .root {
      guard chain.count < Limits.certificateChain, let signed = self[next] else { return nil }
      chain.append(signed)
      next = signed.certificate.issuer
    }
    return chain
  }

  /// Returns whether every certificate is signed by the root, or by a carried issuer with the role
  /// `command`. Verifies each signature once.
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
