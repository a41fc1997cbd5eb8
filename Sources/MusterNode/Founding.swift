internal import Foundation
internal import MusterModel
internal import MusterReplica
internal import MusterTransport
internal import Logging

/// Adds a home to an operation: by founding one, by an invite, or by file.
public enum Founding {
  static let rootKeyName = "root.key"
  static let pendingName = "pending.key"

  /// Founds an operation. This device becomes its first `command` device.
  public static func found(
    operation: String, callsign: String, home: NodeHome, passphrase: [UInt8]?
  ) throws -> Membership {
    let lock = try claim(home)
    let unfinished = UnfinishedHome(home)
    // A root key from an unfinished founding belongs to no operation.
    if home.keys.contains(rootKeyName), try !unfinished.hasBegun {
      throw HomeError.occupied(home.keysDirectory + "/" + rootKeyName)
    }
    let turn = try unfinished.begin()
    let genesis = Genesis(
      operationName: operation, seed: systemSeed(), now: SystemClock.wall)
    let store = try ReplicaDatabase.open(
      at: home.databasePath, of: genesis.credentials, seed: systemSeed())
    try genesis.store(in: store)
    try store.close()
    var opened = try OpenedHome(home, lock: lock, credentials: genesis.credentials, enrolled: turn)
    _ = try opened.replica.rotateEpoch(now: SystemClock.reading)
    _ = try opened.replica.write(PersonRequests.setCallsign(callsign), now: SystemClock.reading)
    try opened.writeSentinel()
    let rootKey = try genesis.rootKeyFile(passphrase: passphrase, seed: systemSeed())
    if home.keys.contains(rootKeyName) {
      try home.keys.replace(rootKeyName, rootKey)
    } else {
      try home.keys.create(rootKeyName, rootKey)
    }
    try keep(genesis.credentials, home: home, passphrase: passphrase)
    try unfinished.finish()
    return withExtendedLifetime(lock) { Membership(genesis.credentials, callsign: callsign) }
  }

  /// Whether the contents of a root key file need a passphrase.
  public static func isLocked(rootKey bytes: [UInt8]) -> Bool {
    SecretFile.rootKey.isWrapped(bytes)
  }

  /// Where a home keeps the root key.
  public static func rootKeyPath(of home: NodeHome) -> String {
    home.keysDirectory + "/" + rootKeyName
  }

  /// Whether the root key is among the keys of a home.
  public static func keepsRootKey(_ home: NodeHome) -> Bool { home.keys.contains(rootKeyName) }

  // MARK: Joining over the network

  /// Contacts the inviting device until it answers.
  ///
  /// - Parameter progress: receives one line for each step that is waited for.
  public static func join(
    invitation: [UInt8], callsign: String, home: NodeHome, passphrase: [UInt8]?,
    timeoutMilliseconds: Int64, progress: (String) -> Void
  ) async throws -> Membership {
    let summary = try Enrolment.summary(ofInvitation: invitation)
    let lock = try claim(home)
    let turn = try UnfinishedHome(home).begin()
    var enrolment = Enrolment(seed: systemSeed())
    try enrolment.begin(
      invitation: invitation, seed: systemSeed(), now: SystemClock.instant)
    let places = summary.endpoints.map(\.description).joined(separator: ", ")
    progress("joining \(summary.operationName) as \(summary.role.name) at \(places)")
    let exchange = EnrolmentClient(enrolment: enrolment, timeoutMilliseconds: timeoutMilliseconds)
    guard let (credentials, keys, inviter) = try await exchange.run() else {
      throw NodeError.noAnswer(
        "no answer from \(places) in \(timeoutMilliseconds / 1000) s: is the inviting node "
          + "running, and on the same network? does a firewall pass its UDP port?")
    }
    _ = try settle(
      credentials, keys: keys, callsign: callsign, inviter: inviter, home: home, lock: lock,
      turn: turn, passphrase: passphrase)
    return Membership(credentials, callsign: callsign, inviters: summary.endpoints)
  }

  // MARK: Joining by file

  /// Returns the contents of a join request file; the keys for its grant stay in the home.
  public static func request(
    callsign: String, home: NodeHome, passphrase: [UInt8]?
  ) throws -> [UInt8] {
    let lock = try claim(home)
    defer { withExtendedLifetime(lock) {} }
    let files = try Enrolment(seed: systemSeed()).request(
      callsign: callsign, passphrase: passphrase, seed: systemSeed())
    if home.keys.contains(pendingName) {
      try home.keys.replace(pendingName, files.pending)
    } else {
      try home.keys.create(pendingName, files.pending)
    }
    return files.request
  }

  /// - Parameters:
  ///   - confirm: throws unless the operation is the intended one. The grant names its own root, so
  ///     only a comparison by another path shows that.
  ///   - passphrase: asked for only when the request was made with one.
  public static func join(
    grant: [UInt8], home: NodeHome, confirm: (Membership) throws -> Void,
    passphrase: () throws -> [UInt8]
  ) throws -> Membership {
    let lock = try claim(home)
    guard home.keys.contains(pendingName) else {
      throw NodeError.refused("no join request is open here: start with 'join --request FILE'")
    }
    let turn = try UnfinishedHome(home).begin()
    let pending = try home.keys.read(pendingName)
    let words = SecretFile.pendingJoin.isWrapped(pending) ? try passphrase() : nil
    let (enrolment, callsign) = try Enrolment.resume(pending: pending, passphrase: words)
    let (credentials, keys) = try enrolment.join(grant: grant)
    try confirm(Membership(credentials, callsign: callsign))
    _ = try settle(
      credentials, keys: keys, callsign: callsign, inviter: nil, home: home, lock: lock,
      turn: turn, passphrase: words)
    try FileManager.default.removeItem(atPath: home.keys.path + "/" + pendingName)
    return Membership(credentials, callsign: callsign)
  }

  // MARK: Shared

  static func claim(_ home: NodeHome) throws -> HomeLock {
    if home.exists { throw NodeError.alreadyEnrolled(home.path) }
    try home.create()
    let lock = try HomeLock(home)
    if home.exists { throw NodeError.alreadyEnrolled(home.path) }
    return lock
  }

  /// Completes the enrolment. The device's key is written last: a home that has it belongs to the
  /// operation completely.
  ///
  /// - Parameter inviter: the address from which the inviting device answered, which the node tries
  ///   when it runs. An address of this machine is not remembered: it only occurs in experiments.
  static func settle(
    _ credentials: Credentials, keys: Enrolment.EpochKeys, callsign: String, inviter: Endpoint?,
    home: NodeHome, lock: HomeLock, turn: UnfinishedHome.Turn, passphrase: [UInt8]?
  ) throws -> sending OpenedHome {
    var opened = try OpenedHome(home, lock: lock, credentials: credentials, enrolled: turn)
    _ = try opened.replica.keep(keys, now: SystemClock.reading)
    // Another device of a user receives the callsign from its peers.
    if credentials.role.reads, credentials.isFirstOfUser {
      _ = try opened.replica.write(PersonRequests.setCallsign(callsign), now: SystemClock.reading)
    }
    if let inviter, !inviter.isLoopback { try opened.replica.remember(inviter) }
    try opened.writeSentinel()
    try keep(credentials, home: home, passphrase: passphrase)
    try UnfinishedHome(home).finish()
    return opened
  }

  private static func keep(
    _ credentials: Credentials, home: NodeHome, passphrase: [UInt8]?
  ) throws {
    try home.keys.create(
      NodeHome.deviceKeyName, credentials.keyFile(passphrase: passphrase, seed: systemSeed()))
  }
}

/// Returns 32 random bytes from the operating system.
func systemSeed() -> [UInt8] {
  var generator = SystemRandomNumberGenerator()
  return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
}
