internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The state of this node and of the mesh.
enum StateRoutes {
  static let routes: [Route] = [
    Route(
      .get, "/api/v1/status", "Get the status of this node", rights: .read,
      result: .json(.named("Status"))
    ) {
      api, _ in
      Answer(.ok, text: try await api.status().text, type: "application/json")
    },
    Route(
      .get, "/api/v1/peers", "List the peers of this node", rights: .read,
      result: .json(.open([.must("items", .list(.named("Peer"), most: Limits.peers))]))
    ) { api, _ in
      let peers = try await api.status().summary.peers
      return .ok(.object(["items": .array(peers.map(\.json))]))
    },
    Route(
      .get, "/api/v1/mesh",
      "Get the mesh topology: this node's links, and those last reported by others", rights: .read,
      result: .json(
        .open([.must("items", .list(.named("Link"), most: Limits.peers * Limits.neighbours))]))
    ) { api, _ in
      guard case .mesh(let mesh) = try await api.ask(.mesh) else { throw Problem.unexpected }
      let now = SystemClock.wall
      return .ok(.object(["items": .array(mesh.links.map { $0.json(now: now) })]))
    },
    Route(
      .get, "/api/v1/delivery", "List the delivery status of reports", rights: .read,
      result: .json(
        .open([.must("items", .list(.named("Delivery"), most: Int(Rows.mostPerPage)))]))
    ) { api, _ in
      guard case .reports(let reports) = try await api.ask(.reports) else {
        throw Problem.unexpected
      }
      return .ok(.object(["items": .array(reports.map(\.deliveryJSON))]))
    },
    Route(
      .get, "/api/v1/changes", "Get the change counts of all data sets", rights: .read,
      result: .json(.named("Counts"))
    ) { api, _ in .ok(api.node.changeCounts.json) },
    Route(
      .get, "/healthz", "Check that the node runs", rights: .probe, result: .json(.named("Health"))
    ) { _, _ in
      .ok(.object(["status": .string("ok")]))
    },
    Route(
      .get, "/readyz", "Check that the node can answer", rights: .probe,
      result: .json(.named("Health"))
    ) { api, _ in
      _ = try await api.ask(.changes)
      _ = try await api.node.fences(around: Coordinate.origin)
      if let fault = Readiness.fault(freeBytes: try await api.status().summary.diskFreeBytes) {
        throw Problem(.serviceUnavailable, fault)
      }
      return .ok(.object(["status": .string("ready")]))
    },
    Route(
      .get, "/metrics", "Get metrics for Prometheus", rights: .read,
      result: .other(type: "text/plain; version=0.0.4")
    ) { api, _ in
      Answer(
        .ok, text: try await Metrics.text(of: api),
        type: "text/plain; version=0.0.4; charset=utf-8")
    },
  ]
}

extension ReportSummary {
  fileprivate var deliveryJSON: JSON {
    delivery.json.adding(["id": .id(id)])
  }
}

extension ChangeCounts {
  var json: JSON {
    .object(
      Dictionary(
        uniqueKeysWithValues: Dataset.allCases.map { ($0.name, JSON.unsigned(self[$0])) }))
  }
}

extension Coordinate {
  fileprivate static var origin: Coordinate {
    guard let origin = Coordinate(latitudeE7: 0, longitudeE7: 0) else {
      preconditionFailure("0, 0 is a place")
    }
    return origin
  }
}
