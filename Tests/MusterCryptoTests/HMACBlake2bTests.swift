import MusterModel
import Testing

@testable import MusterCrypto

@Suite("HMAC-BLAKE2b")
struct HMACBlake2bTests {
  /// Codes from another implementation, the hmac module of Python over its blake2b.
  @Test("makes the codes that another implementation makes")
  func knownAnswers() {
    let key = SecretBytes((0..<64).map { UInt8($0) })
    let long = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    #expect(
      Hex.encode(HMACBlake2b.code(key: key, SecretBytes(Array("muster".utf8))).exported())
        == "0b3f964c961cd85261f2ef4324b36f565de77ad79f84c9d70f6b2ca1e162f870"
        + "26dd14d21d14e22b788c0476a96ab3ba2260475d7d668eee46dbc7422f218c69")
    let parts = HMACBlake2b.code(
      key: key, SecretBytes(long[..<17]), SecretBytes(long[17..<200]), SecretBytes(long[200...]))
    #expect(
      Hex.encode(parts.exported())
        == "18286e2591179ec3139c3a1cc3db0a2d645523e5a23a84417f9beb1f11bb9db3"
        + "ccd7b13630965e51be31db4fdd5cef1009c1162859e4c836b0f2016a2db697f2")
    #expect(
      Hex.encode(HMACBlake2b.code(key: SecretBytes(Array("k".utf8))).exported())
        == "58bc130b7cc4e87f309532f121fb0f8eba276abdfcc56f73e0da310d895846f1"
        + "f79efde9589a0550ae13911fa99f55451d9cdaa2beecdec2fb42cbf4fffc219c")
  }
}
