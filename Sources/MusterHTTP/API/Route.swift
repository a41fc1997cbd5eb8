/// One operation of an API: its description, and the function of a service that answers it.
@dynamicMemberLookup
struct ServiceRoute<Service: Sendable>: Sendable {
  typealias Parameter = RouteDescription.Parameter
  typealias Handler = @Sendable (Service, Call) async throws -> Answer

  let description: RouteDescription
  let handle: Handler

  init(
    _ method: RouteDescription.Method, _ path: String, _ summary: String,
    parameters: [Parameter] = [], body: Shape? = nil, takesFile: Bool = false,
    result: RouteDescription.Result, takesVersion: Bool = false, datedText: String? = nil,
    handle: @escaping Handler
  ) {
    description = RouteDescription(
      method, path, summary, parameters: parameters, body: body, takesFile: takesFile,
      result: result, takesVersion: takesVersion, datedText: datedText)
    self.handle = handle
  }

  subscript<Value>(dynamicMember path: KeyPath<RouteDescription, Value>) -> Value {
    description[keyPath: path]
  }
}

/// An operation of a node's API.
typealias Route = ServiceRoute<API>
