internal import Hummingbird

/// One operation of an API: its description, and the function of a service that answers it.
@dynamicMemberLookup
struct ServiceRoute<Service: Sendable>: Sendable {
  typealias Parameter = RouteDescription.Parameter
  typealias Handler = @Sendable (Service, Call) async throws -> Answer

  let description: RouteDescription
  /// Runs for requests that the rights of the route permit, and for no other.
  fileprivate let handle: Handler

  /// - Parameter rights: who may use it, what it costs, and its limits.
  init(
    _ method: RouteDescription.Method, _ path: String, _ summary: String, rights: RouteRights,
    parameters: [Parameter] = [], body: Shape? = nil, takesFile: Bool = false,
    result: RouteDescription.Result, takesVersion: Bool = false, datedText: String? = nil,
    salvages: Bool = false,
    handle: @escaping Handler
  ) {
    description = RouteDescription(
      method, path, summary, rights: rights, parameters: parameters, body: body,
      takesFile: takesFile, result: result, takesVersion: takesVersion, datedText: datedText,
      salvages: salvages)
    self.handle = handle
  }

  /// Whether it answers a method: GET also for HEAD (RFC 9110 9.3.2), unless the answer is endless.
  func answers(_ method: HTTPRequest.Method) -> Bool {
    description.method.rawValue == method.rawValue
      || method == .head && description.method == .get && description.rights.cost != .stream
  }

  /// The methods that it answers.
  var methods: [String] {
    [description.method.rawValue] + (answers(.head) ? [HTTPRequest.Method.head.rawValue] : [])
  }

  subscript<Value>(dynamicMember path: KeyPath<RouteDescription, Value>) -> Value {
    description[keyPath: path]
  }
}

/// An operation of a node's API.
typealias Route = ServiceRoute<API>

/// A request whose route is found, and which is not admitted yet.
struct RouteMatch<Service: Sendable>: Sendable {
  let route: ServiceRoute<Service>
  /// The variable parts of the path by their names.
  let path: [String: String]

  var rights: RouteRights { route.description.rights }
  var writes: Bool { route.method != .get }

  /// Admits a client without a login. Throws a `Problem` if the route's rights refuse it.
  func admitted(_ kind: ClientKind) throws(Problem) -> AdmittedRequest<Service> {
    guard rights.extents[kind] != nil else { throw rights.refusal(of: kind) }
    return AdmittedRequest(match: self, kind: kind)
  }

  /// Admits a login. Throws a `Problem` if the route's rights refuse it.
  func admitted(_ client: LoginClient) throws(Problem) -> AdmittedRequest<Service> {
    let kind = client.kind(writes: writes)
    if let problem = rights.refusal(of: client, as: kind) { throw problem }
    return AdmittedRequest(match: self, kind: kind)
  }
}

/// A request that the rights of its route permit. Only such a request reaches a handler.
struct AdmittedRequest<Service: Sendable>: Sendable {
  let match: RouteMatch<Service>
  let kind: ClientKind

  fileprivate init(match: RouteMatch<Service>, kind: ClientKind) {
    (self.match, self.kind) = (match, kind)
  }

  /// Runs the route's handler.
  func handle(_ service: Service, _ call: Call) async throws -> Answer {
    try await match.route.handle(service, call)
  }
}
