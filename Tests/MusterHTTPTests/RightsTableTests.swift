import MusterTestKit
import Testing

@testable import MusterHTTP

/// The declarations of who may use each route, as the documents state them.
@Suite struct `Rights of routes` {
  private static let columns: [ClientKind] = [
    .stranger, .phone, .removed, .helpOnly, .observer, .member, .lockedCommand, .command,
    .accessKey, .laptop,
  ]

  @Test func `the table in the documents is that of the declarations`() throws {
    #expect(
      try DocumentTable("rights", in: "api.md").matches(Self.table()),
      """
      docs/api.md differs from the declarations. Review the change, and write the table again by:
      MUSTER_WRITE_TABLES=1 swift test --filter 'Rights of routes'
      """)
  }

  @Test func `a route is declared once, and its cost fits its method`() {
    var names: Set<String> = []
    for route in API.routes {
      let name = "\(route.method.rawValue) \(route.path)"
      #expect(names.insert(name).inserted, "\(name)")
      let rights = route.rights
      let reads = [.read, .dearRead, .alarmRead, .stream].contains(rights.cost)
      #expect((route.method == .get) == (reads || rights.cost == .transfer && !route.takesFile))
      #expect((route.body != nil || route.takesFile) == (rights.bodyBytes > 0) || route.body == nil)
      #expect(rights.extents[.laptop] != nil, "\(name): the node's own user may do everything")
      #expect(rights.extents[.phone] == nil && rights.extents[.agency] == nil)
      // What a login adds without the rights of command has a share.
      let addsBelow = route.method != .get && rights.extents[.member] != nil
      #expect(addsBelow == (rights.limit != nil || rights.speaker == .position), "\(name)")
    }
    #expect(names.count > 100)
  }

  // MARK: The table

  private static let routes = RouteTable(API.routes, about: "", documentRights: .read).routes

  /// Rows with the same rights are one row.
  private static func table() -> String {
    var keys: [String] = []
    var groups: [String: (rights: RouteRights, requests: [(method: String, path: String)])] = [:]
    for route in routes {
      let key = cells(of: route.rights, reads: route.method == .get)
      if groups[key] == nil { keys.append(key) }
      groups[key, default: (route.rights, [])].requests.append(
        (route.method.rawValue, route.path.replacing("/api/v1/", with: "")))
    }
    var lines = [
      "| requests | " + columns.map(\.name).joined(separator: " | ") + " | cost | share | body |",
      "|" + String(repeating: "---|", count: columns.count + 4),
    ]
    for key in keys {
      guard let group = groups[key] else { continue }
      lines.append("| \(requests(group.requests)) | \(key) |")
    }
    for route in ListenerRoute.all {
      guard let rights = route.rights else { continue }
      let places = route.listeners.map(\.rawValue).sorted().joined(separator: ", ")
      let reads = rights.bodyBytes == 0
      lines.append("| \(route.requests) (\(places)) | \(cells(of: rights, reads: reads)) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func requests(_ all: [(method: String, path: String)]) -> String {
    var methods: [String] = []
    for request in all where !methods.contains(request.method) { methods.append(request.method) }
    return methods.map { method in
      let paths = all.filter { $0.method == method }.map { "`\($0.path)`" }
      return "\(method) " + paths.joined(separator: ", ")
    }.joined(separator: " · ")
  }

  private static func cells(of rights: RouteRights, reads: Bool) -> String {
    let kinds = columns.map { rights.extents[$0].map(name) ?? "" }
    return (kinds + [rights.cost.name, rights.limit?.name ?? "", reads ? "" : size(of: rights)])
      .joined(separator: " | ")
  }

  private static func name(_ extent: RouteRights.Extent) -> String {
    switch extent {
    case .yes: "yes"
    case .own: "own"
    case .others: "others'"
    case .here: "here"
    case .unverified: "unverified"
    }
  }

  private static func size(of rights: RouteRights) -> String {
    switch rights.bodyBytes {
    case 0: ""
    case .max: "any"
    case (1 << 20)...: "\(rights.bodyBytes >> 20) MiB"
    default: "\(rights.bodyBytes >> 10) KiB"
    }
  }
}
