/// HKDF as section 4.3 of the Noise Protocol Framework (revision 34) defines it.
enum NoiseKeyDerivation {
  /// Two outputs of 64 bytes; no input means one of zero length.
  static func two(
    chainingKey: SecretBytes, input: SecretBytes?
  ) -> (SecretBytes, SecretBytes) {
    let outputs = three(chainingKey: chainingKey, input: input)
    return (outputs.0, outputs.1)
  }

  /// Three outputs of 64 bytes; no input means one of zero length.
  static func three(
    chainingKey: SecretBytes, input: SecretBytes?
  ) -> (SecretBytes, SecretBytes, SecretBytes) {
    let extracted =
      if let input {
        HMACBlake2b.code(key: chainingKey, input)
      } else {
        HMACBlake2b.code(key: chainingKey)
      }
    let first = HMACBlake2b.code(key: extracted, SecretBytes([1]))
    let second = HMACBlake2b.code(key: extracted, first, SecretBytes([2]))
    let third = HMACBlake2b.code(key: extracted, second, SecretBytes([3]))
    return (first, second, third)
  }
}
