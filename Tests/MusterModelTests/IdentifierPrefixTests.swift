import MusterModel
import Testing

struct IdentifierPrefixTests {
  private let id = RowID(raw: Bytes16(high: 0x3F9A_0000_0000_0000, low: 1))

  @Test("the prefix of an id has at least four of its digits, in either case")
  func beginnings() {
    for text in ["3f9a", "3F9A0", "\(id)"] {
      #expect(IdentifierPrefix(text)?.begins(id) == true, "\(text)")
    }
    #expect(IdentifierPrefix("3f9b")?.begins(id) == false)
  }

  @Test(
    "a shorter text, or one with other characters, is not a prefix",
    arguments: ["", "3f9", "3f9g", "Ben's", " 3f9a", "0x3f9a", "３ｆ９ａ"])
  func others(text: String) {
    #expect(IdentifierPrefix(text) == nil)
  }
}
