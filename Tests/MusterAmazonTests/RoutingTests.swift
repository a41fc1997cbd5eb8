import MusterInterchange
import MusterModel
import Testing

@testable import MusterAmazon

/// Operations, names and ARNs in requests.
@Suite struct `Requests of the service` {
  @Test func `each operation has a route of its own`() throws {
    for operation in Operation.allCases {
      let (method, path) = operation.route
      let filled = path.replacing("{name}", with: "a").replacing("{id}", with: "b")
        .replacing("{arn}", with: "c")
      #expect(Operation.owns(filled))
      #expect(try Operation.find(method: method, path: filled).operation == operation)
    }
  }

  @Test func `segments are decoded after the path is split`() throws {
    let (operation, names) = try Operation.find(
      method: "DELETE",
      path: "/tracking/v0/trackers/T/consumers/arn%3Aaws%3Ageo%3Ax%3A1%3Ageofence-collection%2FC")
    #expect(operation == .disassociateTrackerConsumer)
    #expect(names == ["name": "T", "arn": "arn:aws:geo:x:1:geofence-collection/C"])
  }

  @Test(arguments: [
    "/tracking/v0/trackers/T/positions/verify", "/maps/v0/maps", "/metadata/v0/keys", "/tags/",
    "/tags/a/b", "/tracking/v0/trackers//positions", "/tracking/v0/trackers/T/",
  ])
  func `any other request is an unknown operation, or has an empty name`(path: String) throws {
    do {
      let (operation, names) = try Operation.find(method: "POST", path: path)
      #expect(names.values.contains(""), "\(operation)")
    } catch {
      #expect(error.document.members?["reason"]?.word == "UnknownOperation")
    }
  }

  @Test func `names and ids are checked`() {
    for name in ["a", "A-b._9", String(repeating: "x", count: 100)] {
      #expect(Names.isResourceName(name) && Names.isID(name))
    }
    for name in ["", "a/b", "a b", "é", String(repeating: "x", count: 101)] {
      #expect(!Names.isResourceName(name))
    }
    for id in ["João-1", "北京", "٣"] { #expect(Names.isID(id)) }
    for id in ["", "a/b", "a b", "a\u{301}", "😀", "a\u{0}"] { #expect(!Names.isID(id)) }
  }

  @Test func `an ARN counts by its kind and name`() throws {
    let arn = try ResourceARN("arn:aws:geo:eu-west-1:123456789012:tracker/T", "ResourceArn")
    #expect(arn == ResourceARN(.tracker, "T"))
    for text in [
      "", "arn", "arn:aws:s3:x:1:tracker/T", "arn:aws:geo:x:1:map/T", "arn:aws:geo:x:1:tracker/",
      "arn:aws:geo:x:1:tracker/a/b", "tracker/T",
    ] {
      #expect(throws: ServiceFault.self) { try ResourceARN(text, "ResourceArn") }
    }
  }

  @Test(arguments: ["{\"a\":NaN}", "{\"a\":[{\"b\":Infinity}]}", "{\"a\":-Infinity}"])
  func `a body with NaN is not JSON, also in a member that is ignored`(body: String) {
    #expect(throws: ServiceFault.self) { try Input(body: Array(body.utf8)) }
  }

  @Test func `pages follow one another`() throws {
    let items = (100..<350).map { "\($0)" }
    var (found, token): ([String], String?) = ([], nil)
    repeat {
      var body = "{\"MaxResults\": 99"
      if let token { body += ", \"NextToken\": \"\(token)\"" }
      let page = try Page(
        of: items, by: { $0 }, try Input(body: Array((body + "}").utf8)))
      found += page.elements
      token = page.next
    } while token != nil
    #expect(found == items)
    for body in ["{\"MaxResults\":0}", "{\"MaxResults\":1.5}", "{\"NextToken\":\"%\"}"] {
      #expect(throws: ServiceFault.self) {
        try Page(of: items, by: { $0 }, try Input(body: Array(body.utf8)))
      }
    }
  }
}
