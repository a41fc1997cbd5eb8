internal import MusterModel
internal import NIOCore
internal import Synchronization

/// One who follows by an event stream. What waits for it is bounded; when it has not kept up, it
/// is told to reload, and when it reads nothing at all for a while, its connection is closed.
final class Subscriber: Sendable {
  enum Item: Sendable {
    case notice(Notice)
    case pulse
  }

  private static let bound = 64
  /// Pulses that may pass without anything having been written.
  private static let patience = 4

  private struct State {
    var datasets: Set<Dataset>
    var hasMissed = false
    /// Pulses that came since something was written.
    var silence = 0
  }

  /// Whose sets it follows; nil for a choice of its own.
  let subscription: String?
  let items: AsyncStream<Item>
  private let continuation: AsyncStream<Item>.Continuation
  private let connection: Connection
  private let state: Mutex<State>

  init(of datasets: Set<Dataset>, subscription: String?, connection: Connection) {
    self.subscription = subscription
    self.connection = connection
    state = Mutex(State(datasets: datasets))
    (items, continuation) = AsyncStream.makeStream(
      of: Item.self, bufferingPolicy: .bufferingOldest(Self.bound))
  }

  func choose(_ datasets: Set<Dataset>) { state.withLock { $0.datasets = datasets } }

  var datasets: Set<Dataset> { state.withLock { $0.datasets } }

  func tell(_ notice: Notice) {
    guard state.withLock({ $0.datasets.contains(notice.dataset) }) else { return }
    if case .dropped = continuation.yield(.notice(notice)) {
      state.withLock { $0.hasMissed = true }
    }
  }

  func beat() {
    let isStuck = state.withLock { state in
      state.silence += 1
      return state.silence > Self.patience
    }
    if isStuck { connection.close() } else { continuation.yield(.pulse) }
  }

  /// To be called after each piece was written. Whether something was missed since the last call
  /// that said so.
  func wrote() -> Bool {
    state.withLock { state in
      state.silence = 0
      defer { state.hasMissed = false }
      return state.hasMissed
    }
  }

  func finish() { continuation.finish() }
}

/// A client's connection, for what lasts longer than an answer.
struct Connection: Sendable {
  let channel: any Channel

  /// Takes away the time after which it is closed.
  func keepOpen() {
    channel.pipeline.fireUserInboundEventTriggered(ConnectionLifetime.Wish.endless)
  }

  /// Whether by the other end or by this one.
  func whenClosed(_ act: @escaping @Sendable () -> Void) {
    channel.closeFuture.whenComplete { _ in act() }
  }

  func close() { channel.close(promise: nil) }

  /// Closes what a client does not let go of.
  func closeSoon() {
    let channel = channel
    channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
  }
}
