internal import Synchronization

/// Those who asked to be told of something. Each has a bounded queue, of which the oldest is
/// dropped when its reader does not keep up.
final class Followers<Element: Sendable>: Sendable {
  private typealias Continuation = AsyncStream<Element>.Continuation
  private let streams = Mutex<(next: Int, open: [Int: Continuation])>((0, [:]))
  private let bound: Int

  init(bound: Int) { self.bound = bound }

  /// What is known already, if anything, comes first.
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

  func tell(_ element: Element) {
    let open = streams.withLock { Array($0.open.values) }
    for continuation in open { continuation.yield(element) }
  }

  func finish() {
    let open = streams.withLock { Array($0.open.values) }
    for continuation in open { continuation.finish() }
  }
}
