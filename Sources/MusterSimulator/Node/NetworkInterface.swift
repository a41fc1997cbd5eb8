import MusterModel

/// A node's one network interface: its address, its socket's buffer, and what it sent.
///
/// The buffer is bounded. While datagrams wait in it, a read is scheduled.
struct NetworkInterface {
  /// The current address; another one after each move.
  private(set) var endpoint: Endpoint
  /// Including headers.
  private(set) var bytesSentInStory = 0
  private(set) var datagramsSent = 0
  /// Datagrams that have arrived and are not processed.
  private var inbox: [Datagram] = []
  private var isReadScheduled = false

  typealias Datagram = (bytes: [UInt8], from: Endpoint, link: LinkID)

  private static let link = LinkID(index: 1)
  private static let inboxDatagrams = 2048

  init(_ endpoint: Endpoint) { self.endpoint = endpoint }

  /// Changes the address.
  mutating func move(to endpoint: Endpoint) { self.endpoint = endpoint }

  /// - Parameter inStory: whether the bytes count for the story.
  mutating func noteSent(bytes: Int, inStory: Bool) {
    datagramsSent += 1
    if inStory { bytesSentInStory += bytes + Limits.headerBytes }
  }

  // MARK: Inbox

  /// Buffers a datagram, unless the buffer is full. Returns whether a read MUST be scheduled.
  mutating func receive(_ bytes: [UInt8], from: Endpoint) -> Bool {
    guard inbox.count < Self.inboxDatagrams else { return false }
    inbox.append((bytes, from, Self.link))
    return scheduleRead()
  }

  /// Returns whether a read MUST be scheduled for the rest of the buffer.
  mutating func scheduleRead() -> Bool {
    guard !isReadScheduled, !inbox.isEmpty else { return false }
    isReadScheduled = true
    return true
  }

  /// The scheduled read: removes and returns a batch, which is empty if nothing waits or the
  /// program does not run.
  mutating func read(isRunning: Bool) -> [Datagram] {
    isReadScheduled = false
    guard isRunning else { return [] }
    let batch = Array(inbox.prefix(Limits.inputsPerBatch))
    inbox.removeFirst(batch.count)
    return batch
  }

  /// Drops what is buffered.
  mutating func clear() { inbox = [] }
}
