import Foundation
import MusterModel
import Testing

@testable import muster

@Suite struct `Tables on a terminal` {
  private func screen(_ columns: Int?) -> Screen {
    Screen(isTerminal: columns != nil, showsColours: false, columns: columns)
  }

  private var table: Table {
    var table = Table(["NAME", "REASON", "ADDRESS", "ID"], optional: ["ADDRESS"])
    table.add([
      .init("Anna Fernandes-Oliveira"), .init("asked for help: trapped on the second floor"),
      .init("192.0.2.7:7474"), .init("0a1b2c3d"),
    ])
    table.add([.init("Zoë 火事"), .init("ok"), .init("192.0.2.8:7474"), .init("1a1b2c3d")])
    return table
  }

  @Test func `no line is wider than the terminal, at any width`() {
    for columns in 24...200 {
      for line in table.text(on: screen(columns)).split(separator: "\n") {
        #expect(DisplayWidth.of(String(line)) <= columns, "\(columns): \(line)")
      }
    }
  }

  @Test func `a row is one line, long values end with an ellipsis, and short ones are whole`() {
    for columns in 24...200 {
      let lines = table.text(on: screen(columns)).split(separator: "\n")
      #expect(lines.count == 3, "\(columns)")
      guard columns >= 48 else { continue }
      #expect(lines[1].contains("0a1b2c3d") && lines[2].contains("火事"), "\(columns)")
    }
    let narrow = table.text(on: screen(60)).split(separator: "\n")
    #expect(narrow[1].hasPrefix("Anna Fernandes-") && narrow[1].contains("trapped"))
    #expect(narrow[1].contains("…"))
    #expect(!table.text(on: screen(120)).contains("…"))
  }

  @Test func `a cell that must be read continues on further lines`() {
    var table = Table(["ID", "ALERT"])
    table.add([.init("1"), .init("Ben asks for help on the second floor", isWhole: true)])
    table.add([.init("2"), .init("Battery low in all of the devices here")])
    #expect(
      table.text(on: screen(24)) == """
        ID  ALERT
        1   Ben asks for help on
            the second floor
        2   Battery low in all …
        """)
  }

  @Test func `a narrow terminal leaves out optional columns, and a wide one shows all`() {
    #expect(!table.text(on: screen(60)).contains("ADDRESS"))
    #expect(table.text(on: screen(60)).contains("ID"))
    #expect(table.text(on: screen(120)).split(separator: "\n").count == 3)
    #expect(table.text(on: screen(120)).contains("192.0.2.7:7474"))
  }

  @Test func `a file gets every column, one line for each row`() {
    let lines = table.text(on: screen(nil)).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1].contains("second floor") && lines[1].contains("192.0.2.7:7474"))
  }

  @Test func `text wraps between words, and inside a word that is too long`() {
    #expect(WrappedText("a bc def", width: 4).lines == ["a bc", "def"])
    #expect(WrappedText("abcdefgh i", width: 3).lines == ["abc", "def", "gh", "i"])
    #expect(WrappedText("", width: 3).lines == [""])
    #expect(WrappedText("火事火", width: 4).lines == ["火事", "火"])
    #expect(
      WrappedText(words: ["xxx", "[--a <b>]", "c"], width: 11, indent: "  ").lines
        == ["xxx", "  [--a <b>]", "  c"])
  }
}

@Suite struct `Times in text` {
  private let moment = Timestamp(milliseconds: 1_795_516_370_315)

  @Test func `are local, to the second`() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Lisbon"))
    #expect(LocalTime(zone: zone).text(moment) == "2026-11-24 10:32:50")
    let east = try #require(TimeZone(secondsFromGMT: 5 * 3600 + 1800))
    #expect(LocalTime(zone: east).text(moment) == "2026-11-24 16:02:50")
  }

  @Test func `are marked in UTC`() {
    #expect(LocalTime.utc.text(moment) == "2026-11-24 10:32:50Z")
    #expect(LocalTime.utc.text(rfc3339: "2026-11-24T10:32:50.315Z") == "2026-11-24 10:32:50Z")
    #expect(LocalTime.utc.text(rfc3339: "soon") == "soon")
  }

  @Test func `follow daylight saving time`() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let summer = Timestamp(milliseconds: 1_782_986_400_000)
    #expect(LocalTime(zone: zone).text(summer) == "2026-07-02 12:00:00")
  }
}

@Suite struct `Names on the command line` {
  private struct Item { let id: String; let name: String }

  private let naming = ItemResolver<Item>(
    noun: "zone", plural: "zones", list: "muster fence list", id: { $0.id }, name: { $0.name })
  private let items = [
    Item(id: "0ea84d08aaaa", name: "Camp"), Item(id: "94fa2446bbbb", name: "Plume"),
    Item(id: "77777777cccc", name: "0ea8"), Item(id: "11111111dddd", name: "Twin"),
    Item(id: "22222222eeee", name: "Twin"),
  ]

  private func name(_ text: String, _ match: ItemResolver<Item>.Match = .beginning) throws -> String
  {
    try naming.item(named: text, in: items, match: match).id
  }

  @Test func `a whole name goes before another case, an id and a beginning`() throws {
    #expect(try name("Camp") == "0ea84d08aaaa")
    #expect(try name("camp") == "0ea84d08aaaa")
    #expect(try name("0ea84") == "0ea84d08aaaa")
    #expect(try name("0ea8") == "77777777cccc")
    #expect(try name("Plu") == "94fa2446bbbb")
  }

  @Test func `the beginning of a name is not enough to delete`() {
    #expect {
      try name("Plu", .whole)
    } throws: { "\($0)" == "there is no zone 'Plu': did you mean 'Plume'? See: muster fence list" }
  }

  @Test func `an ambiguous name lists the candidates on one line`() {
    #expect {
      try name("twin")
    } throws: {
      "\($0)" == "2 zones match 'twin': give the id, 11111111 (Twin), 22222222 (Twin)"
    }
  }

  @Test func `an unknown name gets a suggestion, if one is near`() {
    #expect {
      try name("Cmap")
    } throws: { "\($0)".contains("did you mean 'Camp'?") }
    #expect {
      try name("Elsewhere")
    } throws: { "\($0)" == "there is no zone 'Elsewhere': see muster fence list" }
  }

  @Test func `a suggestion is near, or there is none`() {
    let names = ["report", "revoke", "run", "user"]
    for (typed, meant) in [
      ("reprot", "report"), ("rep", "report"), ("usr", "user"), ("REVOKE", "revoke"),
      ("xyz", nil), ("", nil), ("r", nil),
    ] as [(String, String?)] {
      #expect(Suggestion.nearest(to: typed, in: names) == meant, "\(typed)")
    }
  }
}
