import Foundation
import Testing

@testable import MusterInterchange

@Suite struct `The features of a GeoJSON file` {
  private func read(_ text: String) throws -> [String] {
    var features = try GeoJSONFeatures(Data(text.utf8))
    var found: [String] = []
    while let feature = features.next() {
      switch feature.value {
      case .success(let json): found.append("\(feature.line): \(json["n"]?.text ?? "?")")
      case .failure(let fault): found.append("\(feature.line): \(fault)")
      }
    }
    return found
  }

  private func one(_ number: Int) -> String { #"{"type": "Feature", "n": \#(number)}"# }

  @Test func `a collection, a sequence and one feature are read, each with its line`() throws {
    let list = "[\(one(0)),\n\n\(one(1)) ,\(one(2))\n]"
    #expect(
      try read(#"{"name": {"features": []}, "features": \#(list), "type": "FeatureCollection"}"#)
        == ["1: 0", "3: 1", "3: 2"])
    #expect(try read("\(one(0))\n\n\(one(1))\r\n\(one(2))\n") == ["1: 0", "3: 1", "4: 2"])
    #expect(try read("\u{1E}\(one(0))\n\u{1E}\(one(1))\n") == ["1: 0", "2: 1"])
    #expect(try read(one(7)) == ["1: 7"])
    #expect(try read("{\n\"type\": \"Feature\",\n\"n\": 7}") == ["1: 7"])
    #expect(try read(#"{"type": "FeatureCollection", "features": []}"#) == [])
  }

  @Test func `one that is no JSON costs itself only`() throws {
    let bad = #"{"n": nan, "x": ["]}", {}]}"#
    let file = #"{"type": "FeatureCollection", "features": [\#(one(0)),"# + "\n\(bad),\n\(one(2))]}"
    let found = try read(file)
    #expect(found.count == 3 && found[0] == "1: 0" && found[2] == "3: 2", "\(found)")
    #expect(found[1].hasPrefix("2: not JSON at line 2, column 7"), "\(found)")
    let sequence = try read("\(one(0))\n{\"n\": \n\(one(2))")
    #expect(sequence.count == 3 && sequence[2] == "3: 2", "\(sequence)")
  }

  @Test func `every cut is named, and what is before it is read`() throws {
    let file = #"{"type": "FeatureCollection", "features": [\#(one(0)), \#(one(1))], "a": 1}"#
    let first = try #require(file.range(of: one(0))).upperBound
    for length in file.distance(from: file.startIndex, to: first)..<file.count {
      let found = try read(String(file.prefix(length)))
      #expect(found.first == "1: 0" && found.last?.contains("not JSON") == true, "\(found)")
    }
  }

  @Test func `names are found by the keys that programs write`() throws {
    for (properties, name) in [
      (#"{"Name": "A"}"#, "A"), (#"{"title": "B", "name": ""}"#, "B"), (#"{"name": 12}"#, "12"),
      (#"{"NAME": "C", "label": "D"}"#, "C"), (#"{"label": "E"}"#, "E"),
    ] {
      let feature =
        #"{"type": "Feature", "properties": \#(properties), "geometry": "#
        + polygon("[[0,0],[1,0],[1,1],[0,0]]") + "}"
      #expect(try fences(feature).first?.name == name)
    }
  }

  @Test func `a file of many values is bounded before its memory is used`() {
    let text = "[" + String(repeating: "[],", count: JSONReader.mostValues) + "[]]"
    #expect(refusal(text)?.contains("over 2000000 values") == true)
  }
}

extension JSON {
  fileprivate subscript(key: String) -> JSON? { members?[key] }
}
