import MusterModel
import Testing

@Suite("Encoded records")
struct RecordEntryTests {
  private func entry(
    dataset: String = "notes", key: String = "a", count: UInt64 = 7, value: String? = "x"
  ) -> RecordEntry {
    RecordEntry(
      name: RecordName(dataset: dataset, key: key), syncCount: count,
      modifiedAt: Timestamp(milliseconds: 8), value: value)
  }

  @Test func `an entry is read back, and its bytes do not change`() throws {
    for value in ["x", "", nil] {
      let bytes = entry(value: value).encoded()
      #expect(try RecordEntry(decoding: bytes) == entry(value: value))
      #expect(RecordEntry.syncCount(in: bytes) == 7)
      #expect(Field.recordValue.accepts(.bytes(bytes)))
    }
    #expect(
      Hex.encode(entry().encoded())
        == "00000000000000070000000000000008000000056e6f74657300000001610100000001" + "78")
  }

  @Test func `entries at their limits are accepted, and those beyond are not`() {
    let name = String(repeating: "d", count: 128)
    let key = String(repeating: "k", count: 1024)
    let value = String(repeating: "v", count: 16_384)
    let accepted = [
      entry(dataset: name, key: key, count: 1 << 53, value: value),
      entry(dataset: "a.b:c-d_E9", count: 1),
    ]
    let refused = [
      entry(dataset: ""), entry(dataset: name + "d"), entry(dataset: "a b"),
      entry(dataset: "a/b"), entry(dataset: "é"), entry(key: ""), entry(key: key + "k"),
      entry(count: 0), entry(count: 1 << 53 + 1), entry(value: value + "v"),
    ]
    for entry in accepted { #expect(Field.recordValue.accepts(.bytes(entry.encoded()))) }
    for entry in refused { #expect(!Field.recordValue.accepts(.bytes(entry.encoded()))) }
    let good = entry().encoded()
    #expect(!Field.recordValue.accepts(.bytes(good + [0])))
    for length in good.indices {
      #expect(!Field.recordValue.accepts(.bytes(Array(good.prefix(length)))))
    }
  }

  @Test func `keys that are equal as Unicode are two records`() {
    let composed = RecordName(dataset: "notes", key: "\u{E9}")
    let decomposed = RecordName(dataset: "notes", key: "e\u{301}")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
    #expect(decomposed < composed && !(composed < decomposed))
  }
}
