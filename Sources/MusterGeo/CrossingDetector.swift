public import MusterModel

/// One ENTER or EXIT that a fix caused, before it is signed and becomes a `Crossing`.
public struct Transition: Hashable, Sendable {
  /// The fence that was crossed.
  public let fence: RowID
  /// As it stood when it was crossed.
  public let version: FenceVersion
  /// In or out.
  public let type: CrossingType
  /// The first fix after the fence came under watch was already inside.
  public let isBaseline: Bool
  /// Counts this subject's transitions of this fence, from 1.
  public let number: UInt32
  /// The fix that showed it.
  public let fix: Fix
}

/// What is known of one subject and one fence.
public enum FencePresence: UInt8, Sendable, Hashable {
  case unknown
  case outside
  case inside
}

/// Turns the fixes of **one** subject into ENTER and EXIT.
///
/// ```
///             first fix outside         inside for the dwell time
///   unknown ────────────────────▶ outside ──────────▶ ENTER ──▶ inside ◀──┐ inside
///      │  first fix inside, and for the dwell time                │  │    │
///      └──────────▶ ENTER (baseline) ──▶ inside    outside, clear │  └▶ leaving
///                                                  of the edge    ▼       │ outside again
///                                                 outside ◀──── EXIT ◀────┘
/// ```
///
/// - ENTER is prompt: the point is inside or on an edge.
/// - Where the fence has a dwell time, ENTER waits for a fix inside that is so much later, by the
///   times of the samples, than the first one inside. Meanwhile the subject is outside. Leaving
///   by the rule of EXIT ends the wait without an event, and the next one begins anew; a fix
///   outside that would not be an EXIT does not. A change of the dwell time counts from the next
///   fix; what has been entered stays so. EXIT knows no dwell time.
/// - EXIT waits until the accuracy circle is clear of the edge, or for a second fix outside in a
///   row (`leaving` is in between, and still counts as inside). A fix of unknown accuracy never
///   is clear. `FenceMode.strictAWS` does not wait.
/// - At one fix EXITs come before ENTERs, each in the order of fence ids.
/// - A fix that is not newer than the newest one taken changes nothing.
/// - A fence that is deactivated or deleted is forgotten without an event; when it comes back it
///   is `unknown`, but its transitions count on, so that no two crossings get one id.
/// - A fence that is edited is judged anew at the next fix: still inside, no event; outside,
///   EXIT of the new version by the usual rule.
///
/// It does not filter fixes: a fix from the future blocks all until its time comes, so whoever
/// calls MUST refuse implausible times.
public struct CrossingDetector: Hashable, Sendable {
  /// A fence that the newest fix was in, or was not clear of.
  struct Stay: Hashable, Sendable {
    let fence: RowID
    var version: FenceVersion
    /// The last fix was outside, but not clearly.
    var isLeaving: Bool
    /// Not nil until ENTER.
    var wait: Wait?

    mutating func goOn(isLeaving: Bool, under rule: CrossingRule, with fix: Fix) {
      version = rule.version
      self.isLeaving = isLeaving
      // Where the clock was set back, the wait began in what is the future now.
      if let begun = wait, begun.since > fix.sampleTime {
        wait = Wait(since: fix.sampleTime, isBaseline: begun.isBaseline)
      }
    }
  }

  /// What an ENTER that waits for the dwell time goes by.
  struct Wait: Hashable, Sendable {
    /// When the first fix inside was sampled.
    let since: Timestamp
    let isBaseline: Bool
  }

  /// A fence that the subject has entered at some time.
  struct Count: Hashable, Sendable {
    let fence: RowID
    var transitions: UInt32
  }

  /// The sample time of the newest fix taken; nil before the first.
  public internal(set) var lastSampleTime: Timestamp?
  /// The fences that were active at that fix, in order. One that has no stay is outside.
  var watched: [RowID]
  /// In the order of fence ids.
  var stays: [Stay]
  /// In the order of fence ids.
  var counts: [Count]

  /// Knows nothing yet.
  public init() {
    lastSampleTime = nil
    watched = []
    stays = []
    counts = []
  }

  /// What the newest fix said of a fence; `unknown` also for one that is not under watch.
  public func presence(in fence: RowID) -> FencePresence {
    guard watched.sortedPosition(of: fence) != nil else { return .unknown }
    return stays.contains { $0.fence == fence && $0.wait == nil } ? .inside : .outside
  }

  /// The clock of this subject's receiver was set back: what it says from now on is the present,
  /// though its times were taken already.
  public mutating func clockWasSetBack() { lastSampleTime = nil }

  /// Whether the two stand alike with every fence, whenever it was that they said so.
  public func standsAs(_ other: CrossingDetector) -> Bool {
    watched == other.watched && stays == other.stays && counts == other.counts
  }

  /// Whether the fences are those that the newest fix was judged by: if so, the next one leaves
  /// `encodedWatch` as it is.
  public func watches(_ fences: FenceIndex) -> Bool { watched == fences.ids }

  /// Takes a fix, with **all** fences under watch: one that is missing counts as deleted.
  public mutating func observe(_ fix: Fix, fences: [FenceUnderWatch]) -> [Transition] {
    observe(fix, fences: FenceIndex(fences))
  }

  /// The same with the fences prepared, for many fixes.
  public mutating func observe(_ fix: Fix, fences: FenceIndex) -> [Transition] {
    #if Canary
      if Canary.exitOnLateFix.isPlanted { lastSampleTime = nil }
    #endif
    if let lastSampleTime, fix.sampleTime <= lastSampleTime { return [] }
    let inside = fences.positions(containing: fix.position)
    let isSettled = areSettled(in: inside, of: fences)
    let transitions = isSettled ? [] : judge(fix, inside: inside, of: fences)
    lastSampleTime = fix.sampleTime
    watched = fences.ids
    return transitions
  }

  /// Whether the subject is in exactly those fences that it entered before: what most fixes say.
  private func areSettled(in inside: [Int], of fences: FenceIndex) -> Bool {
    guard inside.count == stays.count else { return false }
    for (position, stay) in zip(inside, stays) {
      if fences.ids[position] != stay.fence || fences.rules[position].version != stay.version
        || stay.isLeaving || stay.wait != nil
      {
        return false
      }
    }
    return true
  }

  /// Goes through the fences of before and those of now in the order of their ids.
  private mutating func judge(
    _ fix: Fix, inside: [Int], of fences: FenceIndex
  ) -> [Transition] {
    var (exits, enters): ([Transition], [Transition]) = ([], [])
    var rest = stays[...]
    stays = []
    for position in inside {
      let rule = fences.rules[position]
      while let stay = rest.first, stay.fence < rule.fence {
        exits += leave(rest.removeFirst(), with: fix, of: fences)
      }
      var stay =
        rest.first?.fence == rule.fence ? rest.removeFirst() : arrival(at: rule, with: fix)
      stay.goOn(isLeaving: false, under: rule, with: fix)
      if let wait = stay.wait,
        fix.sampleTime.milliseconds(since: wait.since) >= Int64(rule.dwellSeconds) * 1000
      {
        stay.wait = nil
        enters.append(transition(.enter, of: rule, with: fix, isBaseline: wait.isBaseline))
      }
      stays.append(stay)
    }
    for stay in rest { exits += leave(stay, with: fix, of: fences) }
    return exits + enters
  }

  private func arrival(at rule: CrossingRule, with fix: Fix) -> Stay {
    let isBaseline = watched.sortedPosition(of: rule.fence) == nil
    return Stay(
      fence: rule.fence, version: rule.version, isLeaving: false,
      wait: Wait(since: fix.sampleTime, isBaseline: isBaseline))
  }

  /// Ends a stay, or keeps it for another fix. Nothing of a fence that is under watch no more.
  private mutating func leave(
    _ stay: Stay, with fix: Fix, of fences: FenceIndex
  ) -> [Transition] {
    guard let position = fences.position(of: stay.fence) else { return [] }
    let rule = fences.rules[position]
    let isSecond = stay.isLeaving && stay.version == rule.version
    guard isSecond || Self.isClear(fix, of: fences.fences[position]) else {
      var stay = stay
      stay.goOn(isLeaving: true, under: rule, with: fix)
      stays.append(stay)
      return []
    }
    return stay.wait == nil ? [transition(.exit, of: rule, with: fix, isBaseline: false)] : []
  }

  private mutating func transition(
    _ type: CrossingType, of rule: CrossingRule, with fix: Fix, isBaseline: Bool
  ) -> Transition {
    let index = counts.firstPosition { $0.fence >= rule.fence }
    if index == counts.count || counts[index].fence != rule.fence {
      counts.insert(Count(fence: rule.fence, transitions: 0), at: index)
    }
    #if Canary
      if type == .exit, Canary.sameNumberTwice.isPlanted { counts[index].transitions -= 1 }
    #endif
    counts[index].transitions += 1
    return Transition(
      fence: rule.fence, version: rule.version, type: type, isBaseline: isBaseline,
      number: counts[index].transitions, fix: fix)
  }

  /// Whether a fix that is outside can be believed at once.
  private static func isClear(_ fix: Fix, of fence: FenceUnderWatch) -> Bool {
    #if Canary
      if Canary.exitTooSoon.isPlanted { return true }
    #endif
    switch fence.mode {
    case .strictAWS: return true
    case .careful:
      guard let accuracy = fix.accuracyDecimetres else { return false }
      return fence.fence.geometry.distanceToEdgeMetres(from: fix.position) > Double(accuracy) / 10
    }
  }
}
