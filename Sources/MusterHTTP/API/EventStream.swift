internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

internal import ServiceLifecycle

/// The answer to a client that follows data sets: it ends when the client or the node does.
struct EventStream {
  /// How long a session counts without another check, while there are changes.
  private static let trust = Duration.seconds(1)

  let live: SubscriptionBroker
  let node: Node

  /// If the reader sends its last position, the missed changes come first; otherwise the current
  /// counts do.
  func answer(
    to call: Call, _ datasets: Set<Dataset>, subscription: String?, pushes: PushChoice
  ) throws(Problem) -> Answer {
    let connection = call.connection
    let subscriber = Subscriber(
      of: datasets, subscription: subscription, pushes: pushes, login: call.person?.name,
      user: call.person?.user, connection: connection)
    guard let number = live.join(subscriber) else {
      throw Problem("the limit on event streams is reached", waiting: .seconds(5))
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
        try await write(notice, to: subscriber, &place, &writer)
      }
      // An empty stream also starts with data, so that the client knows that it is open.
      try await writer.write(StreamEvent.pulse)
    }
    _ = subscriber.wrote()
    var checked = ContinuousClock.now
    for await item in subscriber.items {
      // The user may have logged out or signed off, the login may have been removed, or a device
      // revoked. A queue that is always full drops pulses and reviews.
      if item.isCheck || .now - checked >= Self.trust {
        guard await person?.stays() ?? true else { return }
        checked = .now
      }
      switch item {
      case .pulse: try await writer.write(StreamEvent.pulse)
      case .review: continue
      case .notice(let notice):
        // Already sent as missed.
        guard notice.count > place.counts[notice.dataset] else { continue }
        try await write(notice, to: subscriber, &place, &writer)
      }
      guard subscriber.wrote() else { continue }
      for notice in try await live.missed(of: subscriber.datasets, since: place.counts) {
        try await write(notice, to: subscriber, &place, &writer)
      }
    }
  }

  /// Writes a notice with its push notices, which come first: a reader whose connection is lost
  /// between them receives them again.
  private func write(
    _ notice: Notice, to subscriber: Subscriber, _ place: inout StreamPosition,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    for push in notice.pushes where follows(subscriber, push.dataset) {
      try await writer.write(StreamEvent("push", at: place, push.text).bytes)
    }
    place.counts[notice.dataset] = notice.count
    if case .device = subscriber.pushes { return }
    try await writer.write(StreamEvent("change", at: place, notice.text).bytes)
  }

  private func follows(_ subscriber: Subscriber, _ dataset: String) -> Bool {
    switch subscriber.pushes {
    case .none: false
    case .all: true
    case .device(let id): live.devices?.follows(id, dataset) ?? false
    }
  }
}
