import MusterModel
import MusterReplica
import MusterStore
import MusterTestKit

extension Valley {
  /// The result of an attempt to join.
  enum Joining {
    case joined(Credentials, Enrolment.EpochKeys)
    case refused(String)
    /// No device answered.
    case noAnswer
  }

  static func bytes32(_ random: inout SplitMix64) -> [UInt8] { random.bytes(32) }

  mutating func seed32() -> [UInt8] { random.bytes(32) }

  /// Creates an operation with one commander of this name.
  mutating func found(_ name: String, operation: String = "Valley", path: String? = nil) throws {
    let genesis = Genesis(operationName: operation, seed: seed32(), now: clock.wall)
    rootKey = try RootKey(
      file: genesis.rootKeyFile(passphrase: nil, seed: Self.seal), passphrase: nil)
    let store = try Self.store(at: path, of: genesis.credentials)
    try genesis.store(in: store)
    try switchOn(genesis.credentials, as: name, store: store, path: path)
    try at(name) { try $0.rotateEpoch(now: $1) }
    try at(name) { try $0.write(PersonRequests.setCallsign(name), now: $1) }
  }

  /// In memory without a path.
  static func store(at path: String?, of credentials: Credentials) throws -> Store {
    try path.map { path in
      try ReplicaDatabase.open(at: path, of: credentials, seed: seal)
    } ?? Store.inMemory()
  }

  /// The seed of page nonces, which no test inspects.
  static let seal = [UInt8](repeating: 9, count: 32)

  mutating func switchOn(
    _ credentials: Credentials, as name: String, store: Store, path: String?
  ) throws {
    let replica = try Replica(
      store: store, credentials: credentials, start: .continues, seed: seed32(), systemBoot: [1],
      now: clock)
    laptops.append(
      Laptop(
        name: name, endpoint: Self.endpoint(laptops.count), credentials: credentials, path: path,
        store: store, replica: replica))
  }

  mutating func invitation(
    by inviter: String, role: Role = .member, of user: UserID? = nil, uses: Int = 1,
    validMilliseconds: Int64 = 600_000
  ) throws -> [UInt8] {
    let endpoint = laptops[index(inviter)].endpoint
    return try ask(inviter) {
      try $0.invite(
        role: role, of: user, uses: uses, validMilliseconds: validMilliseconds,
        endpoints: [endpoint], now: $1
      ).invitation
    }
  }

  /// Contacts the inviter from a new address over the network, until a device answers.
  mutating func attempt(
    _ enrolment: inout Enrolment, invitation: [UInt8], upTo milliseconds: Int64 = 10_000,
    from endpoint: Endpoint
  ) throws -> Joining {
    try enrolment.begin(invitation: invitation, seed: seed32(), now: now)
    let end = now.advanced(byMilliseconds: milliseconds)
    while now < end {
      var steps: [Enrolment.Step] = []
      if let deadline = enrolment.nextDeadline, deadline <= now {
        steps += enrolment.passDeadline(now: now)
      }
      for flight in air.received(at: endpoint, by: now) {
        steps += enrolment.receive(flight.bytes, from: flight.from, now: now)
      }
      for step in steps {
        switch step {
        case .send(let bytes, let to): air.send(bytes, from: endpoint, to: to, now: now)
        case .joined(let credentials, let keys): return .joined(credentials, keys)
        case .refused(let reason): return .refused(reason)
        }
      }
      let pause = min(end, now.advanced(byMilliseconds: 5))
      while try step(until: pause, except: endpoint) {}
    }
    return .noAnswer
  }

  /// Joins over the network and starts the new device.
  mutating func join(
    _ name: String, invitedBy inviter: String, role: Role = .member, of user: UserID? = nil,
    path: String? = nil
  ) throws {
    let invitation = try invitation(by: inviter, role: role, of: user)
    var enrolment = Enrolment(seed: seed32())
    let endpoint = Self.endpoint(laptops.count)
    let joining = try attempt(
      &enrolment, invitation: invitation, upTo: 60_000, from: endpoint)
    guard case .joined(let credentials, let keys) = joining else {
      throw JoinFailure(joining: "\(name): \(joining)")
    }
    try switchOn(credentials, as: name, store: Self.store(at: path, of: credentials), path: path)
    try begin(name, with: keys, knowing: inviter)
  }

  /// The first steps of a node after a join.
  mutating func begin(
    _ name: String, with keys: Enrolment.EpochKeys, knowing inviter: String
  ) throws {
    let contact = laptops[index(inviter)].endpoint
    try at(name) { try $0.keep(keys, now: $1) }
    try at(name) { try $0.contact([contact], now: $1) }
    // A key that did not fit the grant arrives with the first frames.
    let store = laptops[index(name)].store
    let credentials = laptops[index(name)].credentials
    guard credentials.role.reads, credentials.isFirstOfUser,
      try wait(upTo: 60_000, until: { _ in try !store.epochKeys().isEmpty }) != nil
    else { return }
    try at(name) { try $0.write(PersonRequests.setCallsign(name), now: $1) }
  }

  struct JoinFailure: Error { let joining: String }

  // MARK: Restarts

  mutating func switchOff(_ name: String) throws {
    let index = index(name)
    laptops[index].replica = nil
    if laptops[index].path != nil { try laptops[index].store.close() }
  }

  mutating func switchOn(_ name: String, start: Replica.Start = .continues) throws {
    let index = index(name)
    if let path = laptops[index].path {
      laptops[index].store = try Self.store(at: path, of: laptops[index].credentials)
    }
    laptops[index].replica = try Replica(
      store: laptops[index].store, credentials: laptops[index].credentials,
      start: start, seed: seed32(), systemBoot: [laptops[index].boots],
      now: clock(of: laptops[index]))
    let others = laptops.map(\.endpoint).filter { $0 != laptops[index].endpoint }
    try at(name) { try $0.contact(others, now: $1) }
  }

  mutating func restart(_ name: String, start: Replica.Start = .continues) throws {
    try switchOff(name)
    try switchOn(name, start: start)
  }

  /// Returns a founder and members that are connected.
  static func with(
    _ names: String..., seed: UInt64 = 1, in folder: TemporaryFolder? = nil
  ) throws -> Valley {
    var valley = Valley(seed: seed)
    try valley.found(names[0], path: folder?.database(names[0]))
    for name in names.dropFirst() {
      try valley.join(name, invitedBy: names[0], path: folder?.database(name))
    }
    try valley.converge()
    return valley
  }
}
