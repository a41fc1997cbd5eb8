internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import ServiceLifecycle

/// Change notification: event streams and subscriptions.
extension API {
  private static let datasetNames = Dataset.allCases.map(\.name)

  /// The data sets of a subscription; `all` selects every one.
  private static let choice = Shape.object(
    [.may("datasets", .list(.choice(datasetNames + ["all"]), most: 16))], least: 0)

  private static let subscription = Shape.open([
    .must("id", .text), .must("datasets", .list(.choice(datasetNames), most: 16)),
    .must("counts", .named("Counts")),
  ])

  static let following: [Route] = [
    Route(
      .get, "/api/v1/stream", "Stream the changes of data sets as server-sent events",
      parameters: [
        Route.Parameter(
          name: "datasets", shape: .text, isRequired: false,
          about: "Some of \(datasetNames.joined(separator: ",")); all by default."),
        Route.Parameter(
          name: "subscription", shape: .text, isRequired: false,
          about: "The data sets of a subscription, including later changes to it."),
      ],
      result: .other(type: "text/event-stream")
    ) { api, call in
      let subscription = call.query["subscription"]?.word
      let datasets = try api.datasets(of: call, subscription)
      return try await api.stream(datasets, subscription: subscription, call)
    },
    Route(
      .get, "/api/v1/subscriptions", "List the subscriptions",
      result: .json(
        .open([.must("items", .list(subscription, most: SubscriptionBroker.mostSubscriptions))]))
    ) { api, _ in
      .ok(.object(["items": .array(api.live.subscriptions.map { api.json($0.id, $0.datasets) })]))
    },
    Route(
      .get, "/api/v1/subscriptions/{id}", "Get a subscription and the counts of its data sets",
      result: .json(subscription)
    ) { api, call in
      guard let datasets = api.live.subscription(call.id) else { throw Problem.noSubscription }
      return .ok(api.json(call.id, datasets))
    },
    Route(
      .put, "/api/v1/subscriptions/{id}",
      "Create or replace a subscription of this name, to some or all data sets",
      body: choice, result: .json(subscription)
    ) { api, call in
      guard (1...64).contains(call.id.utf8.count),
        call.id.utf8.allSatisfy({
          Character(Unicode.Scalar($0)).isLetter && $0 < 0x80
            || (48...57).contains($0) || $0 == 45 || $0 == 95
        })
      else {
        throw Problem(.unprocessableContent, "a name has up to 64 letters, digits, - and _")
      }
      let names = call["datasets"]?.elements?.compactMap(\.word) ?? ["all"]
      let datasets = Set(Dataset.allCases.filter { names.contains($0.name) })
      guard
        api.live.subscribe(
          as: call.id, to: names.contains("all") ? Set(Dataset.allCases) : datasets)
      else { throw Problem(.tooManyRequests, "too many subscriptions: remove one first") }
      return .ok(api.json(call.id, api.live.subscription(call.id) ?? datasets))
    },
    Route(
      .delete, "/api/v1/subscriptions/{id}", "Remove a subscription and end its streams",
      result: .done
    ) { api, call in
      guard api.live.unsubscribe(call.id) else { throw Problem.noSubscription }
      return Answer(.noContent)
    },
  ]

  private func json(_ id: String, _ datasets: Set<Dataset>) -> JSON {
    .object([
      "id": .string(id), "counts": node.changeCounts.json,
      "datasets": .strings(Dataset.allCases.filter(datasets.contains).map(\.name)),
    ])
  }

  private func datasets(
    of call: Call, _ subscription: String?
  ) throws(Problem) -> Set<Dataset> {
    if let subscription {
      guard let datasets = live.subscription(subscription) else { throw Problem.noSubscription }
      return datasets
    }
    guard let names = call.query["datasets"]?.word else { return Set(Dataset.allCases) }
    var datasets: Set<Dataset> = []
    for name in names.split(separator: ",", omittingEmptySubsequences: false) {
      guard let dataset = Dataset.allCases.first(where: { $0.name == name }) else {
        throw Problem(.badRequest, "there is no data set \(name.prefix(40))", at: "datasets")
      }
      datasets.insert(dataset)
    }
    return datasets
  }

  /// If the reader sends its last position, the missed changes come first; otherwise the current
  /// counts do.
  private func stream(
    _ datasets: Set<Dataset>, subscription: String?, _ call: Call
  ) async throws -> Answer {
    let connection = call.connection
    let subscriber = Subscriber(of: datasets, subscription: subscription, connection: connection)
    guard let number = live.join(subscriber) else {
      throw Problem(.tooManyRequests, "the limit on event streams is reached")
    }
    let known = call.lastEventID.flatMap { StreamPosition($0) }
    var answer = Answer(streaming: "text/event-stream") { [self] writer in
      defer { live.leave(number) }
      connection.keepOpen()
      connection.whenClosed { subscriber.finish() }
      try await withGracefulShutdownHandler {
        try await follow(subscriber, from: known, as: call.person, &writer)
        try await writer.finish(nil)
        connection.closeSoon()
      } onGracefulShutdown: {
        subscriber.finish()
        connection.closeSoon()
      }
    }
    // A proxy must not buffer an endless response.
    answer.headers[.xAccelBuffering] = "no"
    return answer
  }

  private func follow(
    _ subscriber: Subscriber, from known: StreamPosition?, as person: Person?,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    try await writer.write(StreamEvent.retry)
    var place = known ?? StreamPosition(node.changeCounts)
    if known == nil {
      try await writer.write(StreamEvent("counts", at: place, place.counts.json.text).bytes)
    } else {
      for notice in try await live.missed(of: subscriber.datasets, since: place.counts) {
        place.counts[notice.dataset] = notice.count
        try await writer.write(StreamEvent("change", at: place, notice.text).bytes)
      }
      // An empty stream also starts with data, so that the client knows that it is open.
      try await writer.write(StreamEvent.pulse)
    }
    _ = subscriber.wrote()
    for await item in subscriber.items {
      switch item {
      case .pulse:
        // The user may have logged out, or the login may have been removed.
        guard person?.stays() ?? true else { return }
        try await writer.write(StreamEvent.pulse)
      case .notice(let notice):
        // Already sent as missed.
        guard notice.count > place.counts[notice.dataset] else { continue }
        place.counts[notice.dataset] = notice.count
        try await writer.write(StreamEvent("change", at: place, notice.text).bytes)
      }
      guard subscriber.wrote() else { continue }
      for notice in try await live.missed(of: subscriber.datasets, since: place.counts) {
        place.counts[notice.dataset] = notice.count
        try await writer.write(StreamEvent("change", at: place, notice.text).bytes)
      }
    }
  }
}

extension Problem {
  fileprivate static let noSubscription = Problem(
    .notFound, "there is no such subscription: it was removed, or the node was restarted")
}
