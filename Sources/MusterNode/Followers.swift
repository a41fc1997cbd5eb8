internal import Synchronization

/// The subscribers of an event stream. Each has a bounded queue, from which the oldest element is
/// dropped if the subscriber is too slow.
final class Followers<Element: Sendable>: Sendable {
  private typealias Continuation = AsyncStream<Element>.Continuation
  private let streams = Mutex<(next: Int, open: [Int: Continuation])>((0, [:]))
  private let bound: Int

  init(bound: Int) { self.bound = bound }

  /// Adds a subscriber; `known`, if any, is its first element.
  func add(beginningWith known: Element?) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(bound))
    let key = streams.withLock { streams in
      streams.next += 1
      streams.open[streams.next] = continuation
      return streams.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.streams.withLock { $0.open[key] = nil }
    }
    if let known { continuation.yield(known) }
    return stream
  }

  func send(_ element: Element) {
    let open = streams.withLock { Array($0.open.values) }
    for continuation in open { continuation.yield(element) }
  }

  func finish() {
    let open = streams.withLock { Array($0.open.values) }
    for continuation in open { continuation.finish() }
  }
}
