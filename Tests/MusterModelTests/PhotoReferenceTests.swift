import MusterModel
import Testing

@Suite("References to photos")
struct PhotoReferenceTests {
  private static func id(_ first: UInt64) -> PhotoID {
    PhotoID(raw: Bytes16(high: first << 32, low: 1))
  }

  private let ids = [Self.id(0x3F9A_0001), Self.id(0x3F9A_0002), Self.id(0x1234_5678)]

  @Test("a photo has a number from 1, and an id of which four digits are enough")
  func names() throws {
    let names = [["1", "3f9a0001"], ["2", "\(ids[1])"], ["3", "1234", "1234567"]]
    for (index, names) in names.enumerated() {
      for name in names {
        #expect(try PhotoReference.index(of: name, in: ids) == index, "\(name)")
      }
    }
  }

  @Test(
    "a reference to no photo is rejected with a reason",
    arguments: ["", "0", "-1", "4", "999", "12a", "0001", "ffff", "photo"])
  func unknown(reference: String) {
    #expect {
      try PhotoReference.index(of: reference, in: ids)
    } throws: { "\($0)".hasPrefix("there is no photo '\(reference)'") }
  }

  @Test("digits that several photos begin with are too few")
  func ambiguous() {
    #expect {
      try PhotoReference.index(of: "3f9a", in: ids)
    } throws: { "\($0)".hasPrefix("several photos") }
  }

  @Test("a report without photos is stated")
  func empty() {
    #expect {
      try PhotoReference.index(of: "1", in: [])
    } throws: { "\($0)" == "the report has no photos" }
  }
}
