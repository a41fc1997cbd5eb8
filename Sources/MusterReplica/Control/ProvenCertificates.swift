internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The certificates that devices proved themselves with, as they stand in the store: for each the
/// length of its content (`u32`), its content and its signature.
enum ProvenCertificates {
  static func encoded(_ certificates: [SignedCertificate]) -> [UInt8] {
    var writer = ByteWriter()
    for certificate in certificates {
      writer.append(lengthPrefixed: certificate.content)
      writer.append(fixed: certificate.signature.bytes)
    }
    return writer.bytes
  }

  static func decoded(_ bytes: [UInt8]) throws(StoreError) -> [SignedCertificate] {
    do {
      var reader = ByteReader(bytes)
      var certificates: [SignedCertificate] = []
      while reader.remaining > 0 {
        let content = try reader.lengthPrefixed()
        let signature = try reader.fixed(Signature.byteCount)
        certificates.append(try SignedCertificate(content: content, signature: signature))
      }
      return certificates
    } catch {
      throw .corrupt("proven certificates: \(error)")
    }
  }
}
