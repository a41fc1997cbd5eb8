public import MusterModel
public import NIOCore
internal import Synchronization

/// All uplinks of a node, those that it began and those by which others came, between their bodies
/// and the node.
///
/// To the engine an uplink is an endpoint like any other: it brings and takes datagrams. What tells
/// it apart is that somebody says when it stands and when it has gone.
public final class UplinkSwitch: Sendable {
  /// What the node is to hear of, in order.
  public enum Event: Sendable {
    /// - Parameter calls: whether this side began it.
    case opened(Endpoint, calls: Bool)
    case closed(Endpoint)
    case datagrams([ReceivedDatagram])
  }

  /// Others' uplinks that stand at once.
  public static let mostGuests = 256
  /// Of these, from one address: a whole team may share one.
  public static let mostGuestsFromAnAddress = 64

  /// MUST be read by one task. Datagrams that its reader is behind with beyond a bound are dropped;
  /// what opens and closes is not.
  public let events: AsyncStream<Event>

  /// The command posts that this node goes to.
  public let targets: [UplinkTarget]
  /// How they stand.
  let board: UplinkBoard

  private struct State {
    /// What command posts may show; nobody knows at first.
    var pins: UplinkPins
    var connections: [Endpoint: UplinkConnection] = [:]
    /// How many have come from each address.
    var guests: [String: Int] = [:]
    var nextGuest: UInt64 = 0
    var admitsGuests = true
    var dropped: UInt64 = 0
    /// By target: those that are worth trying now, and who waits for that.
    var hastened: Set<Int> = []
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
  }
  private let state: Mutex<State>
  private let inbox = UplinkInbox()
  /// A node has one.
  public convenience init(targets: [UplinkTarget]) {
    self.init(targets: targets, pins: UplinkPins(named: []))
  }

  /// For a laptop that joins, and is yet to learn what the command post shows: until `take` has
  /// said so, whoever answers there is talked to, and has to prove itself inside.
  public convenience init(joiningAt target: UplinkTarget) {
    self.init(targets: [target], pins: .anybody)
  }

  private init(targets: [UplinkTarget], pins: UplinkPins) {
    self.targets = targets
    state = Mutex(State(pins: pins))
    board = UplinkBoard(targets)
    let inbox = inbox
    events = AsyncStream { await inbox.next() }
  }

  /// Ends `events`, and every uplink.
  public func close() {
    for connection in state.withLock({ Array($0.connections.values) }) { connection.close() }
    inbox.finish()
  }

  // MARK: Trying

  /// What command posts may show by TLS from now on: an uplink that another one showed ends.
  public func take(certificates: [[UInt8]]) {
    let pins = UplinkPins(named: certificates)
    let isNew = state.withLock { state in
      // Who knows of none yet goes on as before.
      guard state.pins != pins, state.pins != .anybody || !pins.isEmpty else { return false }
      state.pins = pins
      return true
    }
    if isNew { hasten() }
  }

  /// The network has changed: whatever does not stand is tried again at once.
  public func hasten() {
    let waiting = state.withLock { state in
      state.hastened = Set(targets.indices).subtracting(state.waiting.keys)
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for waiter in waiting { waiter.resume(returning: true) }
  }

  var pins: UplinkPins { state.withLock { $0.pins } }

  /// Whether a command post can be told from anybody else.
  public var knowsPosts: Bool {
    let pins = pins
    return !pins.isEmpty && pins != .anybody
  }

  /// True when it was hastened before the time was over.
  @discardableResult
  func untilHastened(_ index: Int, milliseconds: Int64) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { await self.haste(index) }
      group.addTask {
        do {
          try await Task.sleep(for: .milliseconds(milliseconds))
        } catch {
          // Whoever cancels it knows.
        }
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  private func haste(_ index: Int) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let answer: Bool? = state.withLock { state in
          if state.hastened.remove(index) != nil { return true }
          if Task.isCancelled { return false }
          state.waiting[index] = waiter
          return nil
        }
        if let answer { waiter.resume(returning: answer) }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: index) }?.resume(returning: false)
    }
  }

  // MARK: Uplinks

  /// For somebody who came from an address. Nil when there are as many as there may be, from there
  /// or in all.
  public func admit(from address: String) -> UplinkConnection? {
    state.withLock { state -> UplinkConnection? in
      let already = state.guests[address] ?? 0
      guard state.admitsGuests, already < Self.mostGuestsFromAnAddress,
        state.guests.values.reduce(0, +) < Self.mostGuests
      else { return nil }
      state.guests[address] = already + 1
      state.nextGuest += 1
      // Numbers of those that this side begins are below.
      let connection = UplinkConnection(
        endpoint: .uplink(1 << 32 | state.nextGuest), address: address)
      state.connections[connection.endpoint] = connection
      return connection
    }
  }

  /// Ends others' uplinks, and admits no more.
  public func dismissGuests() {
    let guests = state.withLock { state in
      state.admitsGuests = false
      return state.connections.values.filter(\.isGuest)
    }
    for guest in guests { guest.close() }
  }

  /// For one that this node begins, to the target of that index.
  func begin(_ index: Int) -> UplinkConnection {
    let connection = UplinkConnection(endpoint: .uplink(UInt64(index)), address: "")
    state.withLock { $0.connections[connection.endpoint] = connection }
    return connection
  }

  /// Carries both ways until either end has enough; always throws why.
  ///
  /// - Parameters:
  ///   - incoming: the body that the other end sends.
  ///   - write: takes what is to be sent.
  public func carry<Incoming: AsyncSequence & Sendable>(
    _ connection: UplinkConnection, incoming: Incoming,
    write: (ByteBuffer) async throws -> Void
  ) async throws where Incoming.Element == ByteBuffer {
    inbox.deliver(.opened(connection.endpoint, calls: false))
    try await hear(connection, incoming) {
      for await chunk in connection.chunks { try await write(chunk) }
    }
  }

  /// The same for an uplink that this node began, where the request's body is `chunks`.
  func follow<Incoming: AsyncSequence & Sendable>(
    _ connection: UplinkConnection, incoming: Incoming, while pins: UplinkPins
  ) async throws where Incoming.Element == ByteBuffer {
    inbox.deliver(.opened(connection.endpoint, calls: true))
    try await hear(connection, incoming, while: pins) {}
  }

  private func hear<Incoming: AsyncSequence & Sendable>(
    _ connection: UplinkConnection, _ incoming: Incoming, while pins: UplinkPins? = nil,
    meanwhile: () async throws -> Void
  ) async throws where Incoming.Element == ByteBuffer {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // Whatever ends one way ends the other: a reader of `chunks` waits for nothing else.
        defer { connection.close() }
        for try await piece in incoming { self.take(try connection.take(piece), connection) }
        throw UplinkFault.ended
      }
      group.addTask {
        defer { connection.close() }
        try await connection.tend { pins.map { self.pins.isSuperset(of: $0) } ?? true }
        throw UplinkFault.ended
      }
      defer { group.cancelAll() }
      try await meanwhile()
      try await group.next()
    }
  }

  private func take(_ datagrams: [[UInt8]], _ connection: UplinkConnection) {
    guard !datagrams.isEmpty else { return }
    inbox.deliver(
      .datagrams(
        datagrams.map {
          ReceivedDatagram(
            bytes: $0, from: connection.endpoint, viaMulticast: false, link: .uplink)
        }))
  }

  /// It stands no more: MUST follow `admit` and `begin`, whether it was ever carried or not.
  public func end(_ connection: UplinkConnection) {
    connection.close()
    let isKnown = state.withLock { state in
      guard state.connections[connection.endpoint] === connection else { return false }
      state.connections[connection.endpoint] = nil
      if connection.isGuest {
        let left = (state.guests[connection.address] ?? 1) - 1
        state.guests[connection.address] = left == 0 ? nil : left
      }
      return true
    }
    if isKnown { inbox.deliver(.closed(connection.endpoint)) }
  }

  // MARK: The node's side

  /// Sends by an uplink; what goes to one that has gone, or that is full, is dropped and counted.
  public func send(_ bytes: [UInt8], to endpoint: Endpoint) {
    let connection = state.withLock { $0.connections[endpoint] }
    if connection?.offer(bytes) != true { state.withLock { $0.dropped += 1 } }
  }

  /// The engine has a session with whoever is at the other end.
  public func prove(_ endpoint: Endpoint) {
    guard let connection = state.withLock({ $0.connections[endpoint] }) else { return }
    connection.prove()
    if !connection.isGuest { board.set(Int(endpoint.uplinkNumber), .up) }
  }

  /// For the status; nil where the node goes to no command post and is none.
  public var summary: UplinkSummary? { board.summary(guests: guests) }

  /// This node is a command post for others, at that address.
  public func serves(at address: String) { board.serve(at: address) }

  /// Datagrams that found no uplink, or one without room.
  public var dropped: UInt64 { state.withLock { $0.dropped } + inbox.dropped }

  /// Others' uplinks that stand and are proven.
  private var guests: Int {
    state.withLock { state in
      state.connections.values.count { $0.isGuest && $0.isProven }
    }
  }
}

extension UplinkConnection {
  fileprivate var isGuest: Bool { endpoint.uplinkNumber > UInt64(UInt32.max) }
}

extension Endpoint {
  /// What it was made with; MUST be an uplink.
  fileprivate var uplinkNumber: UInt64 {
    precondition(isUplink, "\(self) is no uplink")
    return address.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
