public import MusterModel
public import NIOCore
internal import Synchronization

/// One uplink that stands, from either side: what is to leave by it, and whether its other end is
/// still there.
///
///     switch ─▶ offer ─▶ waiting (bounded) ─▶ chunks ─▶ body of the request, or of the answer
///     body of the answer, or of the request ─▶ take ─▶ switch
///
/// TCP keeps order and loses nothing; what finds no room here is dropped, and the engine says it
/// again at a slower pace.
public final class UplinkConnection: Sendable {
  /// What stands in for it towards the engine.
  public let endpoint: Endpoint
  /// Where it came from; empty for one that this node began.
  let address: String
  /// What is to be written, at most `chunkBytes` at a time; ends with the connection.
  ///
  /// MUST be read by one task.
  public let chunks: AsyncStream<ByteBuffer>

  /// Datagrams that wait to be written: more than the largest window.
  static let bound = 1024
  /// One TLS record.
  static let chunkBytes = 16 * 1024
  /// How often it says that it is there.
  static let beatSeconds: Int64 = 15
  /// After so long without a word the other end is taken to be gone.
  static let silenceSeconds: Int64 = 45
  /// Within this the other end has to prove that it belongs to this operation,
  static let proofSeconds: Int64 = 15
  /// and it may say so much before.
  static let bytesBeforeProof = 64 * 1024

  private struct State {
    var waiting: [[UInt8]] = []
    var beatIsDue = true
    var reader: CheckedContinuation<ByteBuffer?, Never>?
    var isClosed = false
    var isProven = false
    var heardBytes = 0
    var heardAt = ContinuousClock.now
    var framing = UplinkFraming()
  }
  private let state: Mailbox

  /// A box, so that `chunks` can be made before `self` is whole.
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

  // MARK: Out

  /// False when there was no room.
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

  /// What to run outside the lock to resume the reader, if there is one and something for it.
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

  // MARK: In

  /// Takes a piece of what the other end says.
  func take(_ piece: ByteBuffer) throws(UplinkFault) -> [[UInt8]] {
    let result: Result<[[UInt8]], UplinkFault> = state.state.withLock { state in
      state.heardAt = .now
      state.heardBytes += piece.readableBytes
      guard state.isProven || state.heardBytes <= Self.bytesBeforeProof else {
        return .failure(.stranger)
      }
      return Result { () throws(UplinkFault) in try state.framing.read(piece) }
    }
    return try result.get()
  }

  // MARK: Standing

  /// Says again and again that this end is there. Throws once the other end is silent, or has not
  /// proved in time that it belongs to this operation; returns when the connection closes.
  ///
  /// - Parameter isTrusted: asked each second; where it says no, the connection ends.
  func tend(while isTrusted: @Sendable () -> Bool) async throws {
    let begun = ContinuousClock.now
    var sinceBeat: Int64 = 0
    while true {
      try await Task.sleep(for: .seconds(1))
      let (isClosed, isProven, heardAt) = state.state.withLock {
        ($0.isClosed, $0.isProven, $0.heardAt)
      }
      guard !isClosed, isTrusted() else { return }
      if heardAt.duration(to: .now) > .seconds(Self.silenceSeconds) { throw UplinkFault.silent }
      if !isProven, begun.duration(to: .now) > .seconds(Self.proofSeconds) {
        throw UplinkFault.stranger
      }
      sinceBeat += 1
      if sinceBeat >= Self.beatSeconds {
        sinceBeat = 0
        beat()
      }
    }
  }

  /// The engine has a session with the other end.
  func prove() { state.state.withLock { $0.isProven = true } }

  var isProven: Bool { state.state.withLock { $0.isProven } }

  /// Nothing leaves any more, and `chunks` ends.
  public func close() {
    state.state.withLock { state in
      state.isClosed = true
      state.waiting = []
      return Self.handOver(&state)
    }?()
  }
}
