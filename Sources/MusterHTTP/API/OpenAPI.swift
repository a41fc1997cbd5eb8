internal import MusterInterchange
internal import MusterModel

/// The OpenAPI 3.1 document of the API, generated from its routes.
enum OpenAPI {
  /// - Parameter about: what the API is for.
  static func document(of routes: [RouteDescription], about: String) -> JSON {
    var paths: [String: [String: JSON]] = [:]
    for route in routes {
      paths[route.path, default: [:]][route.method.rawValue.lowercased()] = operation(route)
    }
    return .object([
      "openapi": .string("3.1.0"),
      "info": .object([
        "title": .string("Muster"), "version": .string("1"),
        "description": .string(about),
        "license": .object([
          "name": .string("see the project"), "identifier": .string("LicenseRef-Muster"),
        ]),
      ]),
      "servers": .array([.object(["url": .string("/")])]),
      "paths": .object(paths.mapValues(JSON.object)),
      "components": .object([
        "schemas": .object(
          Dictionary(
            uniqueKeysWithValues: Components.all.map { ($0.name, $0.shape.schema) }))
      ]),
    ])
  }

  private static func operation(_ route: RouteDescription) -> JSON {
    var members: [String: JSON] = [
      "summary": .string(route.summary), "operationId": .string(name(of: route)),
      "parameters": .array(parameters(of: route)),
      "responses": .object(responses(of: route)), "x-muster-rights": rights(of: route.rights),
    ]
    if let body = route.body {
      members["requestBody"] = .object([
        "required": .bool(true), "content": content("application/json", body.schema),
      ])
    }
    if route.takesFile {
      members["requestBody"] = .object([
        "required": .bool(true),
        // Or its own type, such as `image/jpeg`.
        "content": content(
          "application/octet-stream",
          .object(["type": .string("string"), "format": .string("binary")])),
      ])
    }
    return .object(members)
  }

  /// The kinds of clients that may use a route, its cost class, and the limits of its requests.
  private static func rights(of rights: RouteRights) -> JSON {
    .object([
      "clients": .object(
        Dictionary(
          uniqueKeysWithValues: rights.extents.map { ($0.name, .string($1.rawValue)) })),
      "cost": .string(rights.cost.name),
      "share": .known(rights.limit) { .string($0.name) },
    ])
  }

  /// Such as `patchReportsId`.
  private static func name(of route: RouteDescription) -> String {
    let words = route.parts.filter { $0 != "api" && $0 != "v1" }.flatMap { part in
      part.filter { $0 != "{" && $0 != "}" }.split { "-.".contains($0) }
    }
    return route.method.rawValue.lowercased()
      + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private static func parameters(of route: RouteDescription) -> [JSON] {
    var parameters = route.parts.filter { $0.hasPrefix("{") }.map { part in
      JSON.object([
        "name": .string(String(part.dropFirst().dropLast())), "in": .string("path"),
        "required": .bool(true),
        "schema": .object(["type": .string("string"), "minLength": .count(1)]),
      ])
    }
    parameters += route.parameters.map { parameter in
      .object([
        "name": .string(parameter.name), "in": .string("query"),
        "required": .bool(parameter.isRequired), "description": .string(parameter.about),
        "schema": parameter.shape.schema,
      ])
    }
    if route.takesVersion {
      parameters.append(
        .object([
          "name": .string("If-Match"), "in": .string("header"), "required": .bool(false),
          "description": .string("Write only if the row still has this version (its ETag)."),
          "schema": .object(["type": .string("string")]),
        ]))
    }
    if route.method != .get { parameters += repeatable(route) }
    return parameters
  }

  /// The headers of a request that may be sent again, or late.
  private static func repeatable(_ route: RouteDescription) -> [JSON] {
    func header(_ name: String, _ about: String, _ schema: [String: JSON]) -> JSON {
      .object([
        "name": .string(name), "in": .string("header"), "required": .bool(false),
        "description": .string(about), "schema": .object(schema),
      ])
    }
    let key = header(
      "Idempotency-Key",
      "Names this request, so that it can be sent again without a second effect: the reply of the "
        + "first success is stored for a week. With another request, 422; while it runs, 409.",
      [
        "type": .string("string"),
        "pattern": .string("^[!-~]{1,\(IdempotentRequest.longestKey)}$"),
      ])
    guard let text = route.datedText else { return [key] }
    let age = header(
      "Muster-Seconds-Ago",
      "Seconds since the user acted, if the request waited to be sent. From a minute on, the time "
        + "is added to `\(text)`.",
      [
        "type": .string("integer"), "minimum": .count(0),
        "maximum": .count(Int(Limits.spanSeconds)),
      ])
    return [key, age]
  }

  private static func responses(of route: RouteDescription) -> [String: JSON] {
    var responses: [String: JSON] = [
      "default": .object([
        "description": .string("The reason for the failure (RFC 9457)."),
        "content": content("application/problem+json", Shape.named("Problem").schema),
      ])
    ]
    switch route.result {
    case .json(let shape):
      responses["200"] = .object([
        "description": .string("The data."), "content": content("application/json", shape.schema),
      ])
    case .added(let shape):
      responses["201"] = .object([
        "description": .string("What was added; Location contains its path."),
        "content": content("application/json", shape.schema),
      ])
    case .created:
      responses["201"] = .object([
        "description": .string("The id of the new row; Location contains its path."),
        "content": content(
          "application/json", Shape.open([.must("id", .reference)]).schema),
      ])
    case .done: responses["204"] = .object(["description": .string("Done; the change is durable.")])
    case .other(let type):
      responses["200"] = .object([
        "description": .string("The data."), "content": content(type, .object([:])),
      ])
    case .file(let type):
      let file = content(type, .object([:]))
      responses["200"] = .object(["description": .string("The file."), "content": file])
      responses["206"] = .object([
        "description": .string("The bytes of the Range header."), "content": file,
      ])
      responses["304"] = .object(["description": .string("The client has this version.")])
    }
    return responses
  }

  private static func content(_ type: String, _ schema: JSON) -> JSON {
    .object([type: .object(["schema": schema])])
  }
}
