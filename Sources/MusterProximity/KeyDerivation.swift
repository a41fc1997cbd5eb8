internal import COpenSSL

/// HKDF-SHA256 (RFC 5869) and AES-128, as the specification uses them.
enum KeyDerivation {
  static let keyBytes = 16
  private static let hashBytes = 32

  /// Returns sixteen bytes of HKDF without a salt: one block of output.
  static func key(from secret: [UInt8], info: String) -> [UInt8] {
    let pseudorandom = code(of: secret, by: [UInt8](repeating: 0, count: hashBytes))
    return Array(code(of: Array(info.utf8) + [1], by: pseudorandom).prefix(keyBytes))
  }

  /// Encrypts whole blocks, each by itself.
  static func encryptBlocks(_ blocks: [UInt8], by key: [UInt8]) -> [UInt8] {
    cipher(blocks, by: key, counter: nil)
  }

  /// Encrypts or decrypts in counter mode.
  static func applyCounterMode(_ text: [UInt8], by key: [UInt8], counter: [UInt8]) -> [UInt8] {
    cipher(text, by: key, counter: counter)
  }

  private static func code(of message: [UInt8], by key: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: hashBytes) { output, count in
      var written: UInt32 = 0
      let result = HMAC(
        EVP_sha256(), key, Int32(key.count), message, message.count, output.baseAddress, &written)
      precondition(result != nil && written == hashBytes, "OpenSSL computes no HMAC-SHA256")
      count = hashBytes
    }
  }

  /// Traps if OpenSSL has no AES, as in a damaged installation.
  private static func cipher(_ text: [UInt8], by key: [UInt8], counter: [UInt8]?) -> [UInt8] {
    guard !text.isEmpty else { return [] }
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    let kind = counter == nil ? EVP_aes_128_ecb() : EVP_aes_128_ctr()
    return [UInt8](unsafeUninitializedCapacity: text.count + keyBytes) { output, count in
      var written: Int32 = 0
      let isDone =
        EVP_EncryptInit_ex(context, kind, nil, key, counter) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
        && EVP_EncryptUpdate(context, output.baseAddress, &written, text, Int32(text.count)) == 1
      precondition(isDone && Int(written) == text.count, "OpenSSL encrypts no AES-128")
      count = text.count
    }
  }
}
