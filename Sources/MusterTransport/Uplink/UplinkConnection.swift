public import MusterModel
public import NIOCore
internal import Synchronization

/// One uplink connection of either side: its send queue, and whether the other end is alive.
///
///     switch ─▶ offer ─▶ queue (bounded) ─▶ chunks ─▶ body of the request or response
///     body of the response or request ─▶ take ─▶ switch
///
/// TCP keeps the order and loses nothing. Datagrams that exceed the queue are dropped, and the
/// engine retransmits them at a slower pace.
public final class UplinkConnection: Sendable {
  /// The endpoint that represents it in the engine.
  public let endpoint: Endpoint
  /// The remote address; empty for an uplink that this node initiated.
  let address: String
  /// The data to write, at most `chunkBytes` at a time. Ends with the connection.
  ///
  /// MUST be read by one task.
  public let chunks: AsyncStream<ByteBuffer>

  /// The maximum number of queued datagrams: more than the largest congestion window.
  static let bound = 1024
  /// One TLS record.
  static let chunkBytes = 16 * 1024
  /// The interval of keepalives.
  static let beatSeconds: Int64 = 15
  /// The timeout after which the other end is considered gone.
  static let silenceSeconds: Int64 = 45
  /// The timeout in which the other end must authenticate as a member of this operation,
  static let proofSeconds: Int64 = 15
  /// and the number of bytes accepted from it before.
  static let bytesBeforeProof = 64 * 1024

  private struct State {
    var waiting: [[UInt8]] = []
    var beatIsDue = true
    var reader: CheckedContinuation<ByteBuffer?, Never>?
    var isClosed = false
    /// Nil while a device is authenticated at the other end.
    var unprovenSince: ContinuousClock.Instant? = .now
    var receivedBytes = 0
    var receivedAt = ContinuousClock.now
    var framing = UplinkFraming()
  }
  private let state: Mailbox

  /// A reference, so that `chunks` can be created before `self` is initialized.
  private final class Mailbox: Sendable {
    let state = Mutex(State())
  }

  init(endpoint: Endpoint, address: String) {
    self.endpoint = endpoint
    self.address = address
    let mailbox = Mailbox()
    state = mailbox
    chunks = AsyncStream { await Self.next(of: mailbox) }
  }

  // MARK: Sending

  /// Queues a datagram. Returns false if there is no room.
  func offer(_ datagram: [UInt8]) -> Bool {
    let (isTaken, wake) = state.state.withLock { state in
      guard !state.isClosed, state.waiting.count < Self.bound else {
        return (false, nil as (@Sendable () -> Void)?)
      }
      state.waiting.append(datagram)
      return (true, Self.handOver(&state))
    }
    wake?()
    return isTaken
  }

  private func beat() {
    state.state.withLock { state in
      state.beatIsDue = true
      return Self.handOver(&state)
    }?()
  }

  private static func next(of mailbox: Mailbox) async -> ByteBuffer? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let wake = mailbox.state.withLock { state in
          precondition(state.reader == nil, "chunks has two readers")
          state.reader = reader
          if Task.isCancelled { state.isClosed = true }
          return handOver(&state)
        }
        wake?()
      }
    } onCancel: {
      mailbox.state.withLock { state in
        state.isClosed = true
        return handOver(&state)
      }?()
    }
  }

  /// Returns the closure that resumes the reader, to be called outside the lock; nil if there is no
  /// reader or nothing to deliver.
  private static func handOver(_ state: inout State) -> (@Sendable () -> Void)? {
    guard let reader = state.reader else { return nil }
    guard !state.isClosed else {
      state.reader = nil
      return { reader.resume(returning: nil) }
    }
    guard !state.waiting.isEmpty || state.beatIsDue else { return nil }
    state.reader = nil
    var chunk = ByteBuffer()
    var taken = 0
    while taken < state.waiting.count,
      chunk.readableBytes + state.waiting[taken].count + 2 <= chunkBytes
    {
      UplinkFraming.append(state.waiting[taken], to: &chunk)
      taken += 1
    }
    state.waiting.removeFirst(taken)
    if taken == 0 { chunk.writeBytes(UplinkFraming.beat) }
    state.beatIsDue = false
    return { [chunk] in reader.resume(returning: chunk) }
  }

  // MARK: Receiving

  /// Parses a piece of the received body.
  func take(_ piece: ByteBuffer) throws(UplinkFault) -> [[UInt8]] {
    let result: Result<[[UInt8]], UplinkFault> = state.state.withLock { state in
      state.receivedAt = .now
      state.receivedBytes += piece.readableBytes
      guard state.unprovenSince == nil || state.receivedBytes <= Self.bytesBeforeProof else {
        return .failure(.stranger)
      }
      return Result { () throws(UplinkFault) in try state.framing.read(piece) }
    }
    return try result.get()
  }

  // MARK: Liveness

  /// Sends keepalives. Throws if the other end times out, or does not authenticate in time; returns
  /// when the connection closes.
  ///
  /// - Parameter isTrusted: checked every second; the connection ends once it returns false.
  func tend(while isTrusted: @Sendable () -> Bool) async throws {
    var sinceBeat: Int64 = 0
    while true {
      try await Task.sleep(for: .seconds(1))
      let (isClosed, unprovenSince, receivedAt) = state.state.withLock {
        ($0.isClosed, $0.unprovenSince, $0.receivedAt)
      }
      guard !isClosed, isTrusted() else { return }
      if receivedAt.duration(to: .now) > .seconds(Self.silenceSeconds) { throw UplinkFault.silent }
      if let unprovenSince, unprovenSince.duration(to: .now) > .seconds(Self.proofSeconds) {
        throw UplinkFault.stranger
      }
      sinceBeat += 1
      if sinceBeat >= Self.beatSeconds {
        sinceBeat = 0
        beat()
      }
    }
  }

  /// Records that the engine has a session with the other end.
  func prove() { state.state.withLock { $0.unprovenSince = nil } }

  /// Records that the session has ended, so that the other end must authenticate again.
  func doubt() {
    state.state.withLock { ($0.unprovenSince, $0.receivedBytes) = (.now, 0) }
  }

  var isProven: Bool { state.state.withLock { $0.unprovenSince == nil } }

  /// Closes the connection: nothing is sent any more, and `chunks` ends.
  public func close() {
    state.state.withLock { state in
      state.isClosed = true
      state.waiting = []
      return Self.handOver(&state)
    }?()
  }
}
