internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import ServiceLifecycle

/// Change notification: event streams and subscriptions.
enum StreamRoutes {
  private static let datasetNames = Dataset.allCases.map(\.name)

  /// The data sets of a subscription; `all` selects every one.
  private static let choice = Shape.object(
    [.may("datasets", .list(.choice(datasetNames + ["all"]), most: 16))], least: 0)

  private static let subscription = Shape.open([
    .must("id", .text), .must("datasets", .list(.choice(datasetNames), most: 16)),
    .must("counts", .named("Counts")),
  ])

  static let routes: [Route] = [
    Route(
      .get, "/api/v1/stream", "Stream the changes of data sets as server-sent events",
      rights: .stream,
      parameters: [
        Route.Parameter(
          name: "datasets", shape: .text, isRequired: false,
          about: "Some of \(datasetNames.joined(separator: ",")); all by default."),
        Route.Parameter(
          name: "subscription", shape: .text, isRequired: false,
          about:
            "The data sets of a subscription, including later changes to it; or the id of a device "
            + "of Cognito Sync, for push notices of the data sets of records that it follows."),
      ],
      result: .other(type: "text/event-stream")
    ) { api, call in
      let subscription = call.query["subscription"]?.word
      let stream = EventStream(live: api.live, node: api.node)
      // Records are those of this node's user, and not for other people who log in.
      if let subscription, call.person == nil,
        api.live.devices?.follows(subscription, "") != nil
      {
        return try stream.answer(
          to: call, [.records], subscription: nil, pushes: .device(subscription))
      }
      return try stream.answer(
        to: call, datasets(of: call, subscription, at: api), subscription: subscription,
        pushes: call.person == nil ? .all : .none)
    },
    Route(
      .get, "/api/v1/subscriptions", "List the subscriptions", rights: .read,
      result: .json(
        .open([.must("items", .list(subscription, most: SubscriptionBroker.mostSubscriptions))]))
    ) { api, _ in
      let items = api.live.subscriptions.map { json($0.id, $0.datasets, at: api) }
      return .ok(.object(["items": .array(items)]))
    },
    Route(
      .get, "/api/v1/subscriptions/{id}", "Get a subscription and the counts of its data sets",
      rights: .read,
      result: .json(subscription)
    ) { api, call in
      guard let datasets = api.live.subscription(call.id) else { throw Problem.noSubscription }
      return .ok(json(call.id, datasets, at: api))
    },
    Route(
      .put, "/api/v1/subscriptions/{id}",
      "Create or replace a subscription of this name, to some or all data sets", rights: .command,
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
      return .ok(json(call.id, api.live.subscription(call.id) ?? datasets, at: api))
    },
    Route(
      .delete, "/api/v1/subscriptions/{id}", "Remove a subscription and end its streams",
      rights: .command,
      result: .done
    ) { api, call in
      guard api.live.unsubscribe(call.id) else { throw Problem.noSubscription }
      return Answer(.noContent)
    },
  ]

  private static func json(_ id: String, _ datasets: Set<Dataset>, at api: API) -> JSON {
    .object([
      "id": .string(id), "counts": api.node.changeCounts.json,
      "datasets": .strings(Dataset.allCases.filter(datasets.contains).map(\.name)),
    ])
  }

  private static func datasets(
    of call: Call, _ subscription: String?, at api: API
  ) throws(Problem) -> Set<Dataset> {
    if let subscription {
      guard let datasets = api.live.subscription(subscription) else { throw Problem.noSubscription }
      return datasets
    }
    guard let names = call.query["datasets"]?.word else { return Set(Dataset.allCases) }
    var datasets: Set<Dataset> = []
    for name in names.split(separator: ",", omittingEmptySubsequences: false) {
      guard let dataset = Dataset(name: String(name)) else {
        throw Problem(.badRequest, "there is no data set \(name.prefix(40))", at: "datasets")
      }
      datasets.insert(dataset)
    }
    return datasets
  }
}

extension Problem {
  fileprivate static let noSubscription = Problem(
    .notFound, "there is no such subscription: it was removed, or the node was restarted")
}
