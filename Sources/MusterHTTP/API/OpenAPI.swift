internal import MusterInterchange

/// The document that describes the API (OpenAPI 3.1), made of the routes that it is served by.
enum OpenAPI {
  static func document(of routes: [Route]) -> JSON {
    var paths: [String: [String: JSON]] = [:]
    for route in routes {
      paths[route.path, default: [:]][route.method.rawValue.lowercased()] = operation(route)
    }
    return .object([
      "openapi": .string("3.1.0"),
      "info": .object([
        "title": .string("Muster"), "version": .string("1"),
        "description": .string(
          "What one laptop of a field team knows, and what may be written through it. Writes are "
            + "signed by the laptop's own device and reach the others by themselves."),
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

  private static func operation(_ route: Route) -> JSON {
    var members: [String: JSON] = [
      "summary": .string(route.summary), "operationId": .string(name(of: route)),
      "parameters": .array(parameters(of: route)),
      "responses": .object(responses(of: route)),
    ]
    if let body = route.body {
      members["requestBody"] = .object([
        "required": .bool(true), "content": content("application/json", body.schema),
      ])
    }
    return .object(members)
  }

  /// As `patchReportsId`.
  private static func name(of route: Route) -> String {
    let words = route.parts.filter { $0 != "api" && $0 != "v1" }.flatMap { part in
      part.filter { $0 != "{" && $0 != "}" }.split { "-.".contains($0) }
    }
    return route.method.rawValue.lowercased()
      + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private static func parameters(of route: Route) -> [JSON] {
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
          "description": .string("Only if the row still has this version (its ETag)."),
          "schema": .object(["type": .string("string")]),
        ]))
    }
    return parameters
  }

  private static func responses(of route: Route) -> [String: JSON] {
    var responses: [String: JSON] = [
      "default": .object([
        "description": .string("Why it was not done (RFC 9457)."),
        "content": content("application/problem+json", Shape.named("Problem").schema),
      ])
    ]
    switch route.result {
    case .json(let shape):
      responses["200"] = .object([
        "description": .string("As asked."), "content": content("application/json", shape.schema),
      ])
    case .created:
      responses["201"] = .object([
        "description": .string("The id of what is new; Location says where it is."),
        "content": content(
          "application/json", Shape.open([.must("id", .reference)]).schema),
      ])
    case .done: responses["204"] = .object(["description": .string("Done, and durable.")])
    case .other(let type):
      responses["200"] = .object([
        "description": .string("As asked."), "content": content(type, .object([:])),
      ])
    }
    return responses
  }

  private static func content(_ type: String, _ schema: JSON) -> JSON {
    .object([type: .object(["schema": schema])])
  }
}
