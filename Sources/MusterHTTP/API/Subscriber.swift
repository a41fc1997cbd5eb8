internal import Hummingbird
internal import MusterModel
internal import NIOCore
internal import Synchronization

/// A reader of an event stream. Its queue is bounded: on overflow the reader must reload, and a
/// reader that reads nothing for a while is disconnected.
final class Subscriber: Sendable {
  enum Item: Sendable {
    case notice(Notice)
    case pulse
    /// The stream checks whether its reader is still logged in.
    case review

    /// Whether the reader's session is checked in any case.
    var isCheck: Bool { if case .notice = self { false } else { true } }
  }

  private static let bound = 64
  /// Pulses that may pass without a completed write.
  private static let patience = 4

  private struct State {
    var datasets: Set<Dataset>
    var hasMissed = false
    /// Pulses since the last completed write.
    var silence = 0
  }

  /// The subscription whose sets it follows; nil for its own choice.
  let subscription: String?
  let items: AsyncStream<Item>
  private let continuation: AsyncStream<Item>.Continuation
  private let connection: Connection
  private let state: Mutex<State>

  /// The push notices that it receives.
  let pushes: PushChoice
  /// The login that reads it; nil for a client on this machine.
  let login: String?
  /// The person that this login reports for; nil for none.
  let user: UserID?

  init(
    of datasets: Set<Dataset>, subscription: String?, pushes: PushChoice, login: String? = nil,
    user: UserID? = nil, connection: Connection
  ) {
    (self.login, self.user) = (login, user)
    self.subscription = subscription
    self.pushes = pushes
    self.connection = connection
    state = Mutex(State(datasets: datasets))
    (items, continuation) = AsyncStream.makeStream(
      of: Item.self, bufferingPolicy: .bufferingOldest(Self.bound))
  }

  func choose(_ datasets: Set<Dataset>) { state.withLock { $0.datasets = datasets } }

  var datasets: Set<Dataset> { state.withLock { $0.datasets } }

  func send(_ notice: Notice) {
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

  /// Lets the stream check the session of its reader.
  func review() { continuation.yield(.review) }

  /// Records a completed write. Returns whether an element was dropped since the last call that
  /// returned true.
  func wrote() -> Bool {
    state.withLock { state in
      state.silence = 0
      defer { state.hasMissed = false }
      return state.hasMissed
    }
  }

  func finish() { continuation.finish() }
}

/// A client's connection, for responses without an end.
struct Connection: Sendable {
  let channel: any Channel
  /// Those of its listener.
  var inputs: ClosedInputs?

  /// Whether the client may still wait for an answer.
  var isPresent: Bool { channel.isActive && inputs?.contains(channel) != true }

  /// Renews the time limit of the connection after an accepted request, or one whose answer the
  /// client has already.
  func renew(after response: Response) {
    guard response.status.kind == .successful || response.status == .notModified else { return }
    channel.pipeline.fireUserInboundEventTriggered(ConnectionLifetime.ExtensionRequest.accepted)
  }

  /// Lets a client send the body that it announced by `Expect: 100-continue`.
  func sendContinue() {
    channel.pipeline.fireUserInboundEventTriggered(ConnectionLifetime.ExtensionRequest.awaited)
  }

  /// Removes the time limit of the connection.
  func keepOpen() {
    channel.pipeline.fireUserInboundEventTriggered(ConnectionLifetime.ExtensionRequest.endless)
  }

  /// Extends the time limit of the connection for a file.
  func keepOpenForTransfer() {
    channel.pipeline.fireUserInboundEventTriggered(ConnectionLifetime.ExtensionRequest.transfer)
  }

  /// Calls `act` when either end closes the connection.
  func whenClosed(_ act: @escaping @Sendable () -> Void) {
    channel.closeFuture.whenComplete { _ in act() }
  }

  func close() { channel.close(promise: nil) }

  /// Closes the connection even if the client does not.
  func closeSoon() {
    let channel = channel
    channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
  }
}
