import MusterModel
import MusterReplica
import Testing

extension Valley {
  /// Returns what a device would write to a memory stick.
  mutating func bundle(by name: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var place: [UInt8] = []
    repeat {
      let piece = try ask(name) { replica, _ in try replica.bundlePiece(at: place) }
      bytes += piece.bytes
      place = piece.next
    } while !place.isEmpty
    return bytes
  }

  /// Merges a bundle as the command line does, in pieces of so many bytes.
  @discardableResult
  mutating func merge(
    _ bundle: [UInt8], at name: String, window: Int = 512 * 1024
  ) throws -> (tally: BundleTally, end: BundleEnd) {
    var (tally, place) = (BundleTally(), [UInt8]())
    var done = 0
    while true {
      let bytes = Array(bundle[done...].prefix(window))
      let progress = try at(name) { replica, now in
        let merged = try replica.merge(
          bytes, at: place, isLast: done + bytes.count == bundle.count, now: now)
        return (merged.progress, merged.outcome)
      }
      tally.add(progress.tally)
      done += progress.consumed
      place = progress.next
      if let end = progress.end { return (tally, end) }
      try #require(progress.consumed > 0, "\(bytes.count) bytes were not enough")
    }
  }

  /// Carries a bundle from one laptop to another.
  @discardableResult
  mutating func carry(from name: String, to other: String) throws -> BundleTally {
    let (tally, end) = try merge(bundle(by: name), at: other)
    #expect(end == .whole && tally.damagedPieces == 0 && tally.unreadablePieces == 0)
    return tally
  }

  /// Joins by files on a memory stick, without a network.
  mutating func joinByFile(
    _ name: String, admittedBy admitter: String, role: Role = .member, path: String? = nil
  ) throws {
    let (request, pending) = try Enrolment(seed: seed32())
      .request(callsign: name, passphrase: nil, seed: seed32())
    let grant = try at(admitter) { replica, now in
      let admitted = try replica.admit(request: request, role: role, now: now)
      return (admitted.grant, admitted.outcome)
    }
    let (enrolment, _) = try Enrolment.resume(pending: pending, passphrase: nil)
    let (credentials, keys) = try enrolment.join(grant: grant)
    try switchOn(credentials, as: name, store: Self.store(at: path, of: credentials), path: path)
    try at(name) { try $0.keep(keys, now: $1) }
    if role.reads { try at(name) { try $0.write(PersonRequests.setCallsign(name), now: $1) } }
  }

  /// Returns a founder and members without a network.
  static func silent(_ names: String..., seed: UInt64 = 1) throws -> Valley {
    var valley = Valley(seed: seed)
    valley.air.lossPercent = 100
    try valley.found(names[0])
    for name in names.dropFirst() { try valley.joinByFile(name, admittedBy: names[0]) }
    return valley
  }
}
