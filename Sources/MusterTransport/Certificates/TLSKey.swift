internal import COpenSSL

/// A private P-256 key of TLS. OpenSSL derives its public key.
///
/// A class, since OpenSSL counts references to what it points at.
final class TLSKey {
  /// An `EVP_PKEY`.
  let pointer: OpaquePointer

  /// The number of bytes of a private key.
  static let byteCount = 32

  /// RFC 5915, without a public key: a sequence of the version, the private key and the curve.
  private static let prefix: [UInt8] = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20]
  private static let curve: [UInt8] = [
    0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
  ]

  /// Creates a key from its 32 bytes; nil if they are 0, or not less than the curve's order.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    let encoded = Self.prefix + bytes + Self.curve
    let key = encoded.withUnsafeBufferPointer { buffer in
      var next = buffer.baseAddress
      return d2i_PrivateKey(EVP_PKEY_EC, nil, &next, encoded.count)
    }
    guard let key else { return nil }
    let check = EVP_PKEY_CTX_new(key, nil)
    defer { EVP_PKEY_CTX_free(check) }
    guard EVP_PKEY_private_check(check) == 1 else {
      EVP_PKEY_free(key)
      return nil
    }
    pointer = key
  }

  deinit { EVP_PKEY_free(pointer) }

  /// The public key as an uncompressed point (SEC 1 §2.3.3).
  var publicPoint: [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = EVP_PKEY_get1_encoded_public_key(pointer, &bytes)
    defer { CRYPTO_free(bytes, nil, 0) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// The key in PKCS #8, in DER.
  var encoded: [UInt8]? {
    let information = EVP_PKEY2PKCS8(pointer)
    defer { PKCS8_PRIV_KEY_INFO_free(information) }
    return information.flatMap { information in
      DER.bytes { i2d_PKCS8_PRIV_KEY_INFO(information, $0) }
    }
  }
}

/// The two calls with which OpenSSL writes DER: the first counts, the second writes.
enum DER {
  typealias Output = UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>

  static func bytes(_ write: (Output?) -> Int32) -> [UInt8]? {
    let count = write(nil)
    guard count > 0 else { return nil }
    return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, written in
      var next = buffer.baseAddress
      written = Int(max(0, write(&next)))
    }
  }
}
