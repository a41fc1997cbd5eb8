internal import COpenSSL
internal import MusterModel

/// SHA-256 and its HMAC, for formats of others: TLS fingerprints, signed webhooks and signed
/// requests. The operation's own data is hashed with BLAKE2b.
public enum SHA256 {
  private static let byteCount = 32

  /// Returns the hash.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] {
    digest { COpenSSL.SHA256(bytes, bytes.count, $0) }
  }

  /// Returns the hash of a certificate in DER, in the form that browsers and `openssl x509` show.
  static func fingerprint(of certificate: [UInt8]) -> String {
    hash(certificate).map { Hex.encode([$0]).uppercased() }.joined(separator: ":")
  }

  /// Returns the HMAC of a message (RFC 2104).
  public static func code(of message: [UInt8], by key: [UInt8]) -> [UInt8] {
    var count: UInt32 = 0
    return digest {
      HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, $0, &count)
    }
  }

  /// Traps if OpenSSL has no SHA-256, as in a damaged installation.
  private static func digest(
    _ write: (UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>?
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      let isWritten = buffer.baseAddress.flatMap(write) != nil
      precondition(isWritten, "OpenSSL computes no SHA-256")
      count = byteCount
    }
  }
}
