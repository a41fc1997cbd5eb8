internal import MusterModel
internal import Synchronization

/// Those who asked to be told of crossings. Each has a bounded queue, of which the oldest batches
/// are dropped when its reader does not keep up.
final class Followers: Sendable {
  static let bound = 1024

  private typealias Continuation = AsyncStream<[CrossingSummary]>.Continuation
  private let streams = Mutex<(next: Int, open: [Int: Continuation])>((0, [:]))

  func add(beginningWith known: [CrossingSummary]) -> AsyncStream<[CrossingSummary]> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: [CrossingSummary].self, bufferingPolicy: .bufferingNewest(Self.bound))
    let key = streams.withLock { streams in
      streams.next += 1
      streams.open[streams.next] = continuation
      return streams.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.streams.withLock { $0.open[key] = nil }
    }
    if !known.isEmpty { continuation.yield(known) }
    return stream
  }

  func tell(_ crossings: [CrossingSummary]) {
    let open = streams.withLock { Array($0.open.values) }
    for continuation in open { continuation.yield(crossings) }
  }

  func finish() {
    let open = streams.withLock { Array($0.open.values) }
    for continuation in open { continuation.finish() }
  }
}
