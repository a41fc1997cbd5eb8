public import MusterModel

/// An active fence that bears on safety.
public struct SafetyZone: Sendable {
  /// As people call it.
  public let name: String
  /// Its outline.
  public let fence: PreparedFence

  /// A named zone.
  public init(name: String, fence: PreparedFence) {
    self.name = name
    self.fence = fence
  }
}

/// A user's safety with its reason and its age: a function of what the node holds, the same on
/// every node that holds the same.
///
/// The first of these rules that fits decides:
/// 1. asked for help, or command says that they need it: unsafe
/// 2. last seen inside a hazard zone: unsafe, even if long ago, and whatever anybody says
/// 3. said to be safe, by themselves or by command: safe
/// 4. all devices revoked, no fix, or none for a while: unknown
/// 5. inside a muster zone: safe
/// 6. outside while a muster is called: unsafe
/// 7. otherwise unknown, since nobody was told where to be
public struct SafetyAssessment: Hashable, Sendable {
  /// How long a user may be silent before nothing is known, where settings say nothing else.
  public static let silenceThresholdMilliseconds: Int64 = 10 * 60 * 1000

  /// What to show.
  public let state: SafetyState
  /// Why, in a few plain words.
  public let reason: String
  /// Which rule decided.
  public let cause: SafetyCause
  /// Seconds since the last position was taken, as it is shown. Nil when there is none.
  public let ageSeconds: Int64?

  /// Judges one user. The zones are active muster and hazard fences; of several that hold the
  /// user, the first gives its name. `claim` is the user's own word, or that of the commander who
  /// is named by `overruler`.
  ///
  /// - Parameters:
  ///   - fixAgeMilliseconds: of the position, as it is shown.
  ///   - contactMilliseconds: since a device of the user was in contact, at most: above `1 << 51`
  ///     where that is not known.
  ///   - hasDevice: any device of the user is not revoked. Without one nobody is safe or in
  ///     contact; a call for help and a last position in a hazard zone stay.
  public init(
    claim: (claim: SafetyClaim, note: String)?, overruler: String?, position: PositionReport?,
    fixAgeMilliseconds: Int64?, contactMilliseconds: Int64?, hasDevice: Bool = true,
    musterZones: [SafetyZone], hazardZones: [SafetyZone], silenceThresholdMilliseconds: Int64
  ) {
    let age = position == nil ? nil : fixAgeMilliseconds
    ageSeconds = age.map { $0 / 1000 }
    let place = position?.fix.position
    func zone(in zones: [SafetyZone]) -> SafetyZone? {
      place.flatMap { place in zones.first { $0.fence.contains(place) } }
    }
    if let claim, claim.claim == .needsHelp {
      let words = overruler.map { "needs help, says \($0)" } ?? "asked for help"
      (state, cause, reason) = (.unsafe, .needsHelp, Self.joined(words, claim.note))
    } else if let hazard = zone(in: hazardZones) {
      (state, cause, reason) = (.unsafe, .insideHazard, "inside hazard zone \(hazard.name)")
    } else if !hasDevice {
      (state, cause, reason) = (.unknown, .silent, "device revoked, no contact")
    } else if let claim {
      let words = overruler.map { Self.joined("safe, says \($0)", claim.note) }
      (state, cause, reason) = (.safe, .saidSafe, words ?? "said safe")
    } else if let age {
      let contact = contactMilliseconds ?? age
      if contact > silenceThresholdMilliseconds {
        let words = Self.silence(contact: contact, fix: age)
        (state, cause, reason) = (.unknown, .silent, words)
      } else if let muster = zone(in: musterZones) {
        (state, cause, reason) = (.safe, .insideMuster, "inside muster zone \(muster.name)")
      } else if musterZones.isEmpty {
        (state, cause, reason) = (.unknown, .noMuster, "no muster called")
      } else {
        (state, cause, reason) = (.unsafe, .outsideMuster, "outside the muster zone")
      }
    } else {
      (state, cause, reason) = (.unknown, .noPosition, "no position yet")
    }
  }

  /// Ages above this are those of nobody who was ever in contact here.
  private static let longAgo: Int64 = 1 << 51

  private static func silence(contact: Int64, fix: Int64) -> String {
    guard contact < longAgo else { return "contact not confirmed" }
    let span = RoundedSpan(seconds: UInt64(max(0, contact) / 1000))
    return contact >= fix ? "no fix for \(span)" : "no contact for \(span)"
  }

  private static func joined(_ words: String, _ note: String) -> String {
    let note = excerpt(of: note)
    return note.isEmpty ? words : "\(words): \(note)"
  }

  /// The first line of a note, cut to what a list has room for.
  private static func excerpt(of note: String) -> String {
    let line = note.split(separator: "\n").first ?? ""
    return line.count > 80 ? line.prefix(79) + "…" : String(line)
  }
}
