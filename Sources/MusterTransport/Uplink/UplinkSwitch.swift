public import MusterModel
public import NIOCore
internal import Synchronization

/// Connects all uplinks of a node, outgoing and incoming, with the node.
///
/// To the engine an uplink is an endpoint like any other that sends and receives datagrams. In
/// addition it is notified when an uplink opens and closes.
public final class UplinkSwitch: Sendable {
  /// An event for the node, in order.
  public enum Event: Sendable {
    /// - Parameter calls: whether this side initiated it.
    case opened(Endpoint, calls: Bool)
    case closed(Endpoint)
    case datagrams([ReceivedDatagram])
  }

  /// The maximum number of simultaneous incoming uplinks.
  public static let mostGuests = 256
  /// The maximum of these from one address: a whole team may share one.
  public static let mostGuestsFromAnAddress = 64
  /// The maximum of those of several nodes together, which may all come through a load balancer.
  public static let mostRoutedGuests = 4096
  /// The maximum of further ones that have not authenticated yet.
  public static let mostStrangers = 512

  /// The events of all uplinks. Datagrams beyond a bound are dropped while the reader is behind;
  /// open and close events are not.
  ///
  /// MUST be read by one task.
  public let events: AsyncStream<Event>

  /// The command posts to which this node connects.
  public let targets: [UplinkTarget]
  /// Their states.
  let states: UplinkStates
  /// The nodes behind this listener; empty for the switch of a node.
  private let routes: [UplinkRoute]

  private struct State {
    /// The accepted certificates of command posts; none at first.
    var pins: UplinkPins
    var connections: [Endpoint: UplinkConnection] = [:]
    /// The nodes of incoming uplinks, on a listener of several.
    var owners: [Endpoint: UplinkSwitch] = [:]
    var guests: GuestList
    var admitsGuests = true
    /// The listener that passes its uplinks to this node; nil if it has none, or its own.
    weak var listener: UplinkSwitch?
    var dropped: UInt64 = 0
    /// By target: those to try now, and the tasks that wait for that.
    var hastened: Set<Int> = []
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
  }
  private let state: Mutex<State>
  private let inbox = UplinkInbox()
  /// Creates the switch of a node, which has one.
  public convenience init(targets: [UplinkTarget]) {
    self.init(targets: targets, pins: UplinkPins(named: []))
  }

  /// Creates the switch of a device that joins and does not know the command post's certificate
  /// yet. Until `take` supplies it, any server is accepted, and must authenticate in the handshake
  /// inside.
  public convenience init(joiningAt target: UplinkTarget) {
    self.init(targets: [target], pins: .anybody)
  }

  /// Creates the switch of a listener for several nodes, each of another operation. An uplink
  /// belongs to the node that its first datagram is for; a client of none is disconnected.
  public convenience init(routing routes: [UplinkRoute]) {
    let all = Self.mostRoutedGuests + Self.mostStrangers
    self.init(
      targets: [], pins: UplinkPins(named: []), routes: routes,
      guests: GuestList(
        .init(
          members: Self.mostRoutedGuests, strangers: Self.mostStrangers, all: all,
          fromAnAddress: all)))
    for route in routes { route.uplinks.state.withLock { $0.listener = self } }
  }

  private init(
    targets: [UplinkTarget], pins: UplinkPins, routes: [UplinkRoute] = [],
    guests: GuestList = GuestList(
      .init(
        members: mostGuests, strangers: mostGuests, all: mostGuests,
        fromAnAddress: mostGuestsFromAnAddress))
  ) {
    self.targets = targets
    self.routes = routes
    state = Mutex(State(pins: pins, guests: guests))
    states = UplinkStates(targets)
    let inbox = inbox
    events = AsyncStream { await inbox.next() }
  }

  /// Ends `events` and every uplink.
  public func close() {
    for connection in state.withLock({ Array($0.connections.values) }) { connection.close() }
    inbox.finish()
  }

  // MARK: Connecting

  /// Replaces the accepted certificates of command posts. An uplink that used another one ends.
  public func take(certificates: [[UInt8]]) {
    let pins = UplinkPins(named: certificates)
    let isNew = state.withLock { state in
      // A joiner without any certificate continues as before.
      guard state.pins != pins, state.pins != .anybody || !pins.isEmpty else { return false }
      state.pins = pins
      return true
    }
    if isNew { hasten() }
  }

  /// Retries all unconnected targets at once, after a network change.
  public func hasten() {
    let waiting = state.withLock { state in
      state.hastened = Set(targets.indices).subtracting(state.waiting.keys)
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for waiter in waiting { waiter.resume(returning: true) }
  }

  var pins: UplinkPins { state.withLock { $0.pins } }

  /// Whether command posts can be authenticated.
  public var knowsPosts: Bool {
    let pins = pins
    return !pins.isEmpty && pins != .anybody
  }

  /// Waits for a retry. Returns true if `hasten` ended the wait.
  @discardableResult
  func untilHastened(_ index: Int, within limit: Duration) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { await self.haste(index) }
      group.addTask {
        do {
          try await Task.sleep(for: limit)
        } catch {
          // Cancelled by the caller.
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

  /// Admits an incoming uplink. A client that has not authenticated may have to make room for it.
  /// Returns nil if there is no room.
  public func admit(from address: String) -> UplinkConnection? {
    let (admitted, displaced) = state.withLock { state in
      guard state.admitsGuests, let (number, displaced) = state.guests.admit(from: address) else {
        return (nil as UplinkConnection?, nil as UplinkConnection?)
      }
      let connection = UplinkConnection(endpoint: .guest(number), address: address)
      state.connections[connection.endpoint] = connection
      return (connection, displaced.flatMap { state.connections[.guest($0)] })
    }
    displaced?.close()
    return admitted
  }

  /// Closes all incoming uplinks, and admits no more.
  public func dismissGuests() {
    let guests = state.withLock { state in
      state.admitsGuests = false
      return state.connections.values.filter(\.isGuest)
    }
    for guest in guests { guest.close() }
  }

  /// Registers an outgoing uplink to the target of that index.
  func begin(_ index: Int) -> UplinkConnection {
    let connection = UplinkConnection(endpoint: .uplink(UInt64(index)), address: "")
    state.withLock { $0.connections[connection.endpoint] = connection }
    return connection
  }

  /// Carries an incoming uplink in both directions until either end closes. Always throws the
  /// reason.
  ///
  /// - Parameters:
  ///   - incoming: the body that the other end sends.
  ///   - write: writes data to the other end.
  public func carry<Incoming: AsyncSequence & Sendable>(
    _ connection: UplinkConnection, incoming: Incoming,
    write: (ByteBuffer) async throws -> Void
  ) async throws where Incoming.Element == ByteBuffer {
    if routes.isEmpty { inbox.deliver(.opened(connection.endpoint, calls: false)) }
    try await receive(connection, incoming) {
      for await chunk in connection.chunks { try await write(chunk) }
    }
  }

  /// Carries an outgoing uplink, whose request body is `chunks`.
  func follow<Incoming: AsyncSequence & Sendable>(
    _ connection: UplinkConnection, incoming: Incoming, while pins: UplinkPins
  ) async throws where Incoming.Element == ByteBuffer {
    inbox.deliver(.opened(connection.endpoint, calls: true))
    try await receive(connection, incoming, while: pins) {}
  }

  private func receive<Incoming: AsyncSequence & Sendable>(
    _ connection: UplinkConnection, _ incoming: Incoming, while pins: UplinkPins? = nil,
    meanwhile: () async throws -> Void
  ) async throws where Incoming.Element == ByteBuffer {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // The end of one direction ends the other: a reader of `chunks` waits for nothing else.
        defer { connection.close() }
        var owner = self.routes.isEmpty ? self : nil
        for try await piece in incoming {
          let datagrams = try connection.take(piece)
          guard let first = datagrams.first else { continue }
          guard let node = owner ?? self.route(connection, by: first) else {
            throw UplinkFault.stranger
          }
          owner = node
          node.take(datagrams, connection)
        }
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

  /// Passes an uplink to the node that its first datagram is for; nil if it is for none.
  private func route(_ connection: UplinkConnection, by first: [UInt8]) -> UplinkSwitch? {
    guard let place = routes.firstIndex(where: { $0.accepts(first) }) else { return nil }
    let owner = routes[place].uplinks
    state.withLock {
      $0.owners[connection.endpoint] = owner
      $0.guests.assign(connection.endpoint.guestNumber, to: place)
    }
    owner.state.withLock { $0.connections[connection.endpoint] = connection }
    owner.inbox.deliver(.opened(connection.endpoint, calls: false))
    return owner
  }

  private func take(_ datagrams: [[UInt8]], _ connection: UplinkConnection) {
    inbox.deliver(
      .datagrams(
        datagrams.map {
          ReceivedDatagram(
            bytes: $0, from: connection.endpoint, viaMulticast: false, link: .uplink)
        }))
  }

  /// Removes an uplink. MUST follow `admit` and `begin`, whether it was carried or not.
  public func end(_ connection: UplinkConnection) {
    connection.close()
    let (isKnown, owner) = state.withLock { state in
      guard state.connections[connection.endpoint] === connection else {
        return (false, nil as UplinkSwitch?)
      }
      state.connections[connection.endpoint] = nil
      if connection.isGuest { state.guests.remove(connection.endpoint.guestNumber) }
      return (true, routes.isEmpty ? self : state.owners.removeValue(forKey: connection.endpoint))
    }
    guard isKnown, let owner else { return }
    if owner !== self { owner.state.withLock { $0.connections[connection.endpoint] = nil } }
    owner.inbox.deliver(.closed(connection.endpoint))
  }

  // MARK: Node interface

  /// Sends a datagram on an uplink. If the uplink is closed or its queue is full, the datagram is
  /// dropped and counted.
  public func send(_ bytes: [UInt8], to endpoint: Endpoint) {
    let connection = state.withLock { $0.connections[endpoint] }
    if connection?.offer(bytes) != true { state.withLock { $0.dropped += 1 } }
  }

  /// Records that a device has authenticated at the other end, and ends the uplinks that it
  /// replaces.
  public func prove(_ endpoint: Endpoint, as device: DeviceID) {
    let (connection, listener) = state.withLock { ($0.connections[endpoint], $0.listener) }
    guard let connection else { return }
    connection.prove()
    guard connection.isGuest else { return states.set(Int(endpoint.uplinkNumber), .up) }
    (listener ?? self).settle(endpoint.guestNumber, of: device)
  }

  /// Records that the last session with a device has ended: its incoming uplinks end too, unless it
  /// authenticates again.
  public func doubt(_ device: DeviceID) {
    let listener = state.withLock { $0.listener } ?? self
    let place = listener.routes.firstIndex { $0.uplinks === self } ?? 0
    let doubted = listener.state.withLock { state in
      state.guests.doubt(device, of: place).compactMap { state.connections[.guest($0)] }
    }
    for connection in doubted { connection.doubt() }
  }

  private func settle(_ number: UInt64, of device: DeviceID) {
    let ended = state.withLock { state in
      state.guests.prove(number, as: device).compactMap { state.connections[.guest($0)] }
    }
    for connection in ended { connection.close() }
  }

  /// The summary for the status; nil if the node uses no command post and is none.
  public var summary: UplinkSummary? { states.summary(guests: guests) }

  /// Records that this node is a command post for others at that address.
  public func serves(at address: String) {
    states.serve(at: address)
    for route in routes { route.uplinks.serves(at: address) }
  }

  /// The number of datagrams dropped because their uplink was closed or its queue full.
  public var dropped: UInt64 { state.withLock { $0.dropped } + inbox.dropped }

  /// The number of authenticated incoming uplinks.
  private var guests: Int {
    state.withLock { state in
      state.connections.values.count { $0.isGuest && $0.isProven }
    }
  }
}

extension UplinkConnection {
  fileprivate var isGuest: Bool { endpoint.uplinkNumber >= Endpoint.firstGuest }
}

extension Endpoint {
  /// Outgoing uplinks use lower numbers.
  fileprivate static let firstGuest: UInt64 = 1 << 32

  /// The endpoint of an incoming uplink.
  fileprivate static func guest(_ number: UInt64) -> Endpoint { .uplink(firstGuest + number) }

  /// The number of an incoming uplink. MUST be one.
  fileprivate var guestNumber: UInt64 { uplinkNumber - Self.firstGuest }

  /// The number that it was created with. MUST be an uplink.
  fileprivate var uplinkNumber: UInt64 {
    precondition(isUplink, "\(self) is no uplink")
    return address.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
