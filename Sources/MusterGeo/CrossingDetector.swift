public import MusterModel

/// One ENTER or EXIT event caused by a fix, before it is signed and becomes a `Crossing`.
public struct Transition: Hashable, Sendable {
  /// The fence.
  public let fence: RowID
  /// The version of the fence at the event.
  public let version: FenceVersion
  /// Enter or exit.
  public let type: CrossingType
  /// Whether the first fix after the fence became active was already inside.
  public let isBaseline: Bool
  /// The number of this subject's transitions of this fence, from 1.
  public let number: UInt32
  /// The fix that caused it.
  public let fix: Fix
}

/// The relation of one subject to one fence.
public enum FencePresence: UInt8, Sendable, Hashable {
  case unknown
  case outside
  case inside
}

/// Converts the fixes of **one** subject to ENTER and EXIT events.
///
/// ```
///           first fix outside         inside for the dwell time
/// unknown ────────────────────▶ outside ──────────▶ ENTER ──▶ inside ◀──┐ inside
///    │  first fix inside, and for the dwell time                │  │    │
///    └──────────▶ ENTER (baseline) ──▶ inside    outside, clear │  └▶ leaving
///                                                 of the edge   ▼       │ outside again
///                                            outside ◀──── EXIT ◀───────┘
/// ```
///
/// - ENTER is immediate: the point is inside or on an edge.
/// - For a fence with a dwell time, ENTER waits for a fix inside whose sample time is that much
///   later than that of the first one inside. Until then the subject is outside. An EXIT during the
///   wait cancels it without an event; a fix outside that would not be an EXIT does not. A change
///   of the dwell time applies from the next fix and does not revert an ENTER. EXIT has no dwell
///   time.
/// - EXIT waits until the accuracy circle is clear of the edge, or for a second consecutive fix
///   outside (hysteresis; `leaving` is in between and still counts as inside). A fix of unknown
///   accuracy is never clear. `FenceMode.strictAWS` does not wait.
/// - At one fix, EXITs precede ENTERs, each in the order of fence ids.
/// - A fix that is not newer than the newest accepted one changes nothing.
/// - A fence that is deactivated or deleted is forgotten without an event. When it returns it is
///   `unknown`, but its transitions are still counted, so that no two events have the same id.
/// - Beyond a rate, crossings are folded (`CrossingRate`).
/// - An edited fence is evaluated again at the next fix: still inside, no event; outside, EXIT of
///   the new version by the usual rule.
///
/// It does not filter fixes: a fix from the future blocks all others until its time, so the caller
/// MUST reject implausible times.
public struct CrossingDetector: Hashable, Sendable {
  /// A fence that contained the newest fix, or whose edge was not clear.
  struct Stay: Hashable, Sendable {
    let fence: RowID
    var version: FenceVersion
    /// Whether the last fix was outside, but not clearly.
    var isLeaving: Bool
    /// Not nil until ENTER.
    var wait: Wait?

    mutating func goOn(isLeaving: Bool, under rule: CrossingRule, with fix: Fix) {
      version = rule.version
      self.isLeaving = isLeaving
      // If the clock was set back, the start of the wait would be in the future.
      if let begun = wait, begun.since > fix.sampleTime {
        wait = Wait(since: fix.sampleTime, isBaseline: begun.isBaseline)
      }
    }
  }

  /// The start of an ENTER that waits for the dwell time.
  struct Wait: Hashable, Sendable {
    /// The sample time of the first fix inside.
    let since: Timestamp
    let isBaseline: Bool
  }

  /// A fence that the subject has entered before.
  struct Count: Hashable, Sendable {
    let fence: RowID
    var transitions: UInt32
    /// Nil without an event since the state was stored by an earlier program.
    var rate: CrossingRate?
  }

  /// The sample time of the newest accepted fix; nil before the first.
  public internal(set) var lastSampleTime: Timestamp?
  /// The fences that were active at that fix, in order. The subject is outside those without a
  /// stay.
  var watched: [RowID]
  /// In the order of fence ids.
  var stays: [Stay]
  /// In the order of fence ids.
  var counts: [Count]

  /// Creates a detector without any fix.
  public init() {
    lastSampleTime = nil
    watched = []
    stays = []
    counts = []
  }

  /// Returns the presence at the newest fix; `unknown` also for a fence that is not active.
  public func presence(in fence: RowID) -> FencePresence {
    guard watched.sortedPosition(of: fence) != nil else { return .unknown }
    return stays.contains { $0.fence == fence && $0.wait == nil } ? .inside : .outside
  }

  /// Accepts the next fix although its time is older, because the receiver's clock was set back.
  public mutating func clockWasSetBack() { lastSampleTime = nil }

  /// Returns whether both have the same relation to every fence, regardless of the times.
  public func standsAs(_ other: CrossingDetector) -> Bool {
    watched == other.watched && stays == other.stays && counts == other.counts
  }

  /// Returns whether both watch the same fences, and so have the same `encodedWatch`.
  public func watchesAs(_ other: CrossingDetector) -> Bool { watched == other.watched }

  /// Processes a fix with **all** active fences: a missing one counts as deleted.
  public mutating func observe(_ fix: Fix, fences: [FenceUnderWatch]) -> [Transition] {
    observe(fix, fences: FenceIndex(fences))
  }

  /// Processes a fix with prepared fences, for many fixes.
  public mutating func observe(_ fix: Fix, fences: FenceIndex) -> [Transition] {
    #if Canary
      if Canary.exitOnLateFix.isPlanted { lastSampleTime = nil }
    #endif
    if let lastSampleTime, fix.sampleTime <= lastSampleTime { return [] }
    let due = dueCrossings(at: fix.sampleTime, of: fences)
    let inside = fences.positions(containing: fix.position)
    let isSettled = areSettled(in: inside, of: fences)
    let transitions = due + (isSettled ? [] : judge(fix, inside: inside, of: fences))
    lastSampleTime = fix.sampleTime
    watched = fences.ids
    return transitions
  }

  /// Processes a fix that is no evidence of now. Only the fences of programs
  /// (`FenceMode.strictAWS`) have transitions, in the order of sample times; the relation to all
  /// others stays as it is.
  public mutating func observeOld(_ fix: Fix, fences: FenceIndex) -> [Transition] {
    if let lastSampleTime, fix.sampleTime <= lastSampleTime { return [] }
    let strict = Set(fences.fences.lazy.filter { $0.mode == .strictAWS }.map(\.id))
    guard !strict.isEmpty else { return [] }
    let others = stays.filter { !strict.contains($0.fence) }
    stays.removeAll { !strict.contains($0.fence) }
    let inside = fences.positions(containing: fix.position).filter {
      strict.contains(fences.ids[$0])
    }
    let transitions = judge(fix, inside: inside, of: fences)
    stays = (stays + others).sorted { $0.fence < $1.fence }
    lastSampleTime = fix.sampleTime
    watched = fences.ids.filter { strict.contains($0) || watched.sortedPosition(of: $0) != nil }
    return transitions
  }

  /// Returns whether the subject is in exactly the fences that it entered before: the common case.
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

  /// Compares the previous and the current fences in the order of their ids.
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
        enters += transition(.enter, of: rule, with: fix, isBaseline: wait.isBaseline)
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

  /// Ends a stay, or keeps it for another fix. No event for a fence that is no longer active.
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
    return stay.wait == nil ? transition(.exit, of: rule, with: fix, isBaseline: false) : []
  }

  /// Returns the event of a crossing; none if it waits, or takes back one that waits.
  private mutating func transition(
    _ type: CrossingType, of rule: CrossingRule, with fix: Fix, isBaseline: Bool
  ) -> [Transition] {
    let index = counts.firstPosition { $0.fence >= rule.fence }
    if index == counts.count || counts[index].fence != rule.fence {
      counts.insert(Count(fence: rule.fence, transitions: 0), at: index)
    }
    #if Canary
      if type == .exit, Canary.sameNumberTwice.isPlanted { counts[index].transitions -= 1 }
    #endif
    if counts[index].rate?.admits(type, of: rule, with: fix, isBaseline: isBaseline) == false {
      return []
    }
    return [event(type, at: index, rule.version, with: fix, isBaseline: isBaseline)]
  }

  /// Returns whether a fix outside suffices for EXIT.
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
