internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

extension StoredCertificate {
  init(_ signed: SignedCertificate) {
    self.init(hash: signed.hash, content: signed.content, signature: signed.signature.bytes)
  }
}

extension StoredEvidence {
  init(_ item: EvidenceItem) {
    self.init(id: item.id, kind: item.kind, content: item.content)
  }
}

extension EvidenceItem {
  init(_ stored: StoredEvidence, operation: OperationID) throws(StoreError) {
    do {
      try self.init(kind: stored.kind, content: stored.content, operation: operation)
    } catch {
      throw .corrupt("evidence \(stored.id): \(error)")
    }
    guard id == stored.id else { throw .corrupt("evidence \(stored.id) proves something else") }
  }
}

extension SignedCertificate {
  init(_ stored: StoredCertificate) throws(StoreError) {
    do {
      try self.init(content: stored.content, signature: stored.signature)
    } catch {
      throw .corrupt("certificate \(stored.hash): \(error)")
    }
  }

  static let provenKey = "proven"

  /// Returns certificates as databases before `certificates` kept them, in one local fact: for each
  /// the length of its content (`u32`), its content and its signature. Nil in later databases.
  static func proven(in store: Store) throws(StoreError) -> [SignedCertificate]? {
    guard let bytes = try store.local(provenKey) else { return nil }
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
