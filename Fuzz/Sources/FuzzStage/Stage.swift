import MusterModel
import MusterCrypto
@testable import MusterSync

/// Two devices of one operation that talk, an honest one and a liar with a valid certificate: what
/// the bytes of an input are thrown at. A value, so that every input begins at the same state.
public struct Stage: Sendable {
  private let honest: Actor
  private let liar: Actor
  /// Datagrams that both sent while they met: where a fuzzer may begin.
  public private(set) var corpus: [[UInt8]] = []
  private var now = Instant(microseconds: 1_000_000)

  /// Everything is made from fixed seeds: an input does the same in every process.
  public init() {
    var random = DeterministicRandom(seed: [UInt8](repeating: 7, count: 32))
    let root = random.signingKey()
    let networkKey = random.sealingKey()
    let devices = [Role.command, .member].map { role in
      Actor.enrolled(role, root: root, networkKey: networkKey, random: &random)
    }
    let roster = Roster(devices.map(\.certificate))
    var honest = Actor(devices[0], number: 1, roster: roster, now: now)
    var liar = Actor(devices[1], number: 2, roster: roster, now: now)
    var mail = liar.handle(.contacts([honest.endpoint]), now: now).map { ($0, 2) }
    for _ in 0..<1000 where !liar.hasSession(with: honest) || !mail.isEmpty {
      now = now.advanced(byMilliseconds: 10)
      guard !mail.isEmpty else {
        mail += liar.handle(.deadlinePassed, now: now).map { ($0, 2) }
        mail += honest.handle(.deadlinePassed, now: now).map { ($0, 1) }
        continue
      }
      let (bytes, from) = mail.removeFirst()
      corpus.append(bytes)
      if from == 2 {
        mail += honest.receive(bytes, from: liar.endpoint, now: now).map { ($0, 1) }
      } else {
        mail += liar.receive(bytes, from: honest.endpoint, now: now).map { ($0, 2) }
      }
    }
    precondition(liar.hasSession(with: honest), "the two devices do not talk")
    (self.honest, self.liar) = (honest, liar)
  }

  /// How the bytes of an input reach the honest device.
  public enum Way: UInt8, CaseIterable, Sendable {
    /// As they are, from an unknown address.
    case stranger
    /// As they are, from the liar's address.
    case link
    /// As the plaintext of a datagram in the liar's session.
    case session
    /// As the contents of an announce that the liar signed.
    case announce
  }

  /// Delivers bytes to a copy of the honest device, and lets ten seconds pass. Traps if an
  /// invariant is violated, or if it sends more than it may.
  public func deliver(_ bytes: [UInt8], by way: Way) {
    var stage = self
    stage.perform([(way, bytes)])
  }

  /// Delivers several: each way, length and bytes, as they stand one after the other in an input.
  public func deliver(story bytes: [UInt8]) {
    var steps: [(Way, [UInt8])] = []
    var rest = bytes[...]
    while rest.count >= 3, steps.count < 32 {
      let way = Way.allCases[Int(rest.removeFirst()) % Way.allCases.count]
      let length = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
      steps.append((way, Array(rest.prefix(length))))
      rest = rest.dropFirst(length)
    }
    var stage = self
    stage.perform(steps)
  }

  /// Gives a bundle to a copy of the honest device: the bytes as a file, and the bytes as sealed by
  /// a holder of the network key, each piece preceded by its length.
  public func carry(_ bytes: [UInt8]) {
    var stage = self
    stage.carryOut(bytes)
    stage.carryOut(honest.bundle(of: bytes))
  }

  private mutating func carryOut(_ file: [UInt8]) {
    var honest = honest
    let carried = honest.carried(in: file)
    guard !carried.isEmpty else { return }
    for thing in carried {
      _ = honest.handle(.carried(thing), now: now)
      _ = honest.handle(.carried(.end), now: now)
    }
    pass(milliseconds: 10_000, at: &honest)
  }

  private mutating func perform(_ steps: [(Way, [UInt8])]) {
    var (honest, liar) = (honest, liar)
    honest.hasActed = false
    let stranger = Actor.endpoint(9)
    for (way, bytes) in steps {
      now = now.advanced(byMilliseconds: 3)
      switch way {
      case .stranger:
        let answers = honest.receive(bytes, from: stranger, now: now)
        let sentBytes = answers.reduce(0) { $0 + $1.count }
        precondition(
          sentBytes <= 3 * bytes.count,
          "\(sentBytes) bytes to an unauthenticated client that sent \(bytes.count)")
      case .link: _ = honest.receive(bytes, from: liar.endpoint, now: now)
      case .session:
        guard let datagram = liar.sealed(bytes, for: honest) else { continue }
        _ = honest.receive(datagram, from: liar.endpoint, now: now)
      case .announce:
        guard let datagram = liar.announced(bytes) else { continue }
        _ = honest.receive(datagram, from: liar.endpoint, now: now)
      }
    }
    // Half of the time of an input: of those that were turned away altogether every eighth has it.
    let bytes = steps.reduce(0) { $0 + $1.1.count }
    if honest.hasActed || bytes.isMultiple(of: 8) { pass(milliseconds: 10_000, at: &honest) }
  }

  private mutating func pass(milliseconds: Int64, at actor: inout Actor) {
    let end = now.advanced(byMilliseconds: milliseconds)
    while let next = actor.nextDeadline, next < end {
      now = max(next, now.advanced(byMilliseconds: 1))
      _ = actor.handle(.deadlinePassed, now: now)
    }
  }
}
