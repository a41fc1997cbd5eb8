import MusterModel
import Testing

struct TextRuleTests {
  @Test(
    "ordinary words of any language are accepted",
    arguments: [
      "Keller unter Wasser", "消防署", "אש", "حريق", "Café 🚒", "a", "e\u{301}", "👩‍🚒",
    ])
  func ordinary(_ text: String) {
    #expect(TextRule.line.accepts(text))
    #expect(TextRule.paragraphs.accepts(text))
  }

  @Test("every control character is rejected, except line feed and tab in paragraphs")
  func controls() throws {
    for value in Array(0x00...0x1F) + Array(0x7F...0x9F) as [UInt32] {
      let text = "a" + String(try #require(Unicode.Scalar(value))) + "b"
      #expect(!TextRule.line.accepts(text), "U+\(String(value, radix: 16))")
      #expect(
        TextRule.paragraphs.accepts(text) == [0x09, 0x0A].contains(value),
        "U+\(String(value, radix: 16))")
    }
    #expect(!TextRule.paragraphs.accepts("a\r\nb"))
  }

  @Test("line ends of Windows become line feeds, once")
  func lineEnds() {
    #expect(TextRule.withLineFeeds("a\r\nb\n\r\nc\rd\r\n") == "a\nb\n\nc\rd\n")
    #expect(TextRule.paragraphs.fitting("a\r\nb\rc") == "a\nb\nc")
    #expect(TextRule.line.fitting("a\r\nb") == "a b")
  }

  @Test("separators and bidirectional controls are rejected")
  func disguises() throws {
    for value in [0x2028, 0x2029] + Array(0x202A...0x202E) + Array(0x2066...0x2069) as [UInt32] {
      let text = "a" + String(try #require(Unicode.Scalar(value)))
      #expect(!TextRule.line.accepts(text) && !TextRule.paragraphs.accepts(text))
    }
  }

  @Test("lengths are counted in bytes, and the limit itself is allowed")
  func lengths() {
    for (rule, limit) in [(TextRule.line, 200), (.paragraphs, 16_384)] {
      #expect(rule.accepts(String(repeating: "x", count: limit)))
      #expect(!rule.accepts(String(repeating: "x", count: limit + 1)))
      #expect(rule.accepts(String(repeating: "é", count: limit / 2)))
      #expect(!rule.accepts(String(repeating: "é", count: limit / 2 + 1)))
    }
  }

  @Test("a line needs a visible character, a paragraph does not")
  func empty() {
    for text in ["", " ", "\u{3000}", "\n"] { #expect(!TextRule.line.accepts(text)) }
    #expect(TextRule.paragraphs.accepts(""))
  }

  @Test("the reason names the fault")
  func reasons() {
    #expect(TextRule.line.fault(in: "a\u{1B}b") == "contains the control character U+1B")
    #expect(TextRule.line.fault(in: "") == "is empty")
    #expect(
      TextRule.line.fault(in: String(repeating: "x", count: 201))
        == "is 201 bytes long; at most 200 are allowed")
  }
}
