/// The routes of a service's operations.
///
/// A segment in braces is a name, which arrives percent-encoded: a path is split before its
/// segments are decoded.
struct RouteTable<Operation: Sendable>: Sendable {
  private struct Route: Sendable {
    let operation: Operation
    let method: String
    let parts: [Substring]
  }

  private let routes: [Route]

  init(_ operations: [Operation], by route: (Operation) -> (method: String, path: String)) {
    routes = operations.map { operation in
      let (method, path) = route(operation)
      return Route(operation: operation, method: method, parts: path.split(separator: "/"))
    }
  }

  /// Returns the operation of a request, and the decoded names in its path. Throws for any other
  /// request, and for a name that is not percent-encoded UTF-8.
  func find(
    method: String, path: String
  ) throws(ServiceFault) -> (operation: Operation, names: [String: String]) {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let found = routes.first { route in
      route.method == method && route.parts.count == segments.count
        && zip(route.parts, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
    guard let found else {
      throw ServiceFault(
        .validation(.unknownOperation),
        "this node does not perform the operation \(method) \(path.prefix(200))")
    }
    var names: [String: String] = [:]
    for (part, segment) in zip(found.parts, segments) where part.hasPrefix("{") {
      guard let name = PercentCoding.decoded(segment) else {
        throw ServiceFault(
          .validation(.cannotParse), "the path is not percent-encoded UTF-8")
      }
      names[String(part.dropFirst().dropLast())] = name
    }
    return (found.operation, names)
  }
}
