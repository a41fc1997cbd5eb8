import Testing

/// State has an owner: no type with logic has more than 12 stored properties, or 700 lines in all
/// of its files together. A limit is a sign to look for the missing type.
///
/// Types without functions are values, such as a status or a report: they have as many properties
/// as the thing has.
@Suite struct TypeSizeTests {
  private static let mostProperties = 12
  private static let mostLines = 700

  /// Types that are larger today, with their size, which must not grow. Lower a number, or remove a
  /// row, with each part that gets an owner.
  private static let larger: [String: (properties: Int, lines: Int)] = [
    "MusterHTTP.BrowserToken": (14, 700),
    "MusterModel.UserSummary": (18, 700),
    "MusterNode.Node": (13, 830),
    "MusterReplica.Replica": (12, 760),
    "MusterStore.Store": (12, 785),
    "MusterSync.Packet": (22, 700),
  ]

  @Test func `no type with logic is larger than its limit`() throws {
    let types = try Measurements.ofSources().types
    #expect(types.count > 500)
    for (name, size) in types.sorted(by: { $0.key < $1.key }) where size.hasLogic {
      let limit = Self.larger[name] ?? (Self.mostProperties, Self.mostLines)
      if size.properties > limit.properties {
        Issue.record("\(name) has \(size.properties) stored properties of \(limit.properties)")
      }
      if size.lines > limit.lines {
        Issue.record("\(name) has \(size.lines) lines of \(limit.lines) in all its files")
      }
    }
  }

  @Test func `every type that may be larger still is`() throws {
    let types = try Measurements.ofSources().types
    for name in Self.larger.keys.sorted() {
      let size = types[name] ?? Measurements.TypeSize()
      if size.properties <= Self.mostProperties, size.lines <= Self.mostLines {
        Issue.record("\(name) is within the limits: remove it from the list")
      }
    }
  }

  @Test func `a stored property is counted, and a computed or static one is not`() {
    let text = """
      struct Cup {
        static let most = 3
        private(set) var sips = 0
        let owner: String
        var isEmpty: Bool { sips == 0 }
        @Guarded var lid: Lid? = nil
        var label: String {
          owner
        }
        struct Lid {
          let width: Int
        }
        mutating func sip() {
          let depth = 1
          sips += depth
        }
      }
      """
    var measured = Measurements()
    measured.add(text.split(separator: "\n"), of: "T", file: "Cup.swift")
    #expect(measured.types["T.Cup"]?.properties == 3)
    #expect(measured.types["T.Cup"]?.exposed == 1)
    #expect(measured.types["T.Cup"]?.hasLogic == true)
    #expect(measured.types["T.Cup.Lid"]?.properties == 1)
    #expect(measured.types["T.Cup.Lid"]?.hasLogic == false)
  }
}
