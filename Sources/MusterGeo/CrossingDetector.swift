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
///            first fix outside              inside
///   unknown ───────────────────▶ outside ──────────▶ ENTER ──▶ inside ◀─┐ inside
///      │        first fix inside                                 │ │    │
///      └──────────▶ ENTER (baseline) ──▶ inside   outside, clear │ └▶ leaving
///                                                 of the edge    ▼      │ outside again
///                                                outside ◀──── EXIT ◀───┘
/// ```
///
/// - ENTER is prompt: the point is inside or on an edge.
/// - EXIT waits until the accuracy circle is clear of the edge, or for a second fix outside in a
///   row (`leaving` is in between, and still counts as inside). A fix of unknown accuracy never
///   is clear. `CrossingMode.strictAWS` does not wait.
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
  /// A fence that this subject has entered at some time.
  struct Entry: Hashable, Sendable {
    enum State: UInt8, Sendable {
      /// Outside, or unknown if the fence is not in `watched`.
      case outside = 0
      case inside = 1
      /// Inside until the next fix: the last one was outside, but not clearly.
      case leaving = 2
    }
    let fence: RowID
    var version: FenceVersion
    var state: State
    var transitions: UInt32
  }

  /// The sample time of the newest fix taken; nil before the first.
  public internal(set) var lastSampleTime: Timestamp?
  /// The fences that were active at that fix, in order. One that has no entry is outside.
  var watched: [RowID]
  /// In the order of fence ids.
  var entries: [Entry]

  /// Knows nothing yet.
  public init() {
    lastSampleTime = nil
    watched = []
    entries = []
  }

  /// What the newest fix said of a fence; `unknown` also for one that is not under watch.
  public func presence(in fence: RowID) -> FencePresence {
    guard watched.sortedPosition(of: fence) != nil else { return .unknown }
    let entry = entries.first { $0.fence == fence }
    return entry.map { $0.state == .outside ? .outside : .inside } ?? .outside
  }

  /// The clock of this subject's receiver was set back: what it says from now on is the present,
  /// though its times were taken already.
  public mutating func clockWasSetBack() { lastSampleTime = nil }

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
    let exits = leave(fences, stillIn: inside, with: fix)
    let enters = enter(fences, at: inside, with: fix)
    lastSampleTime = fix.sampleTime
    watched = fences.ids
    return exits + enters
  }

  private mutating func leave(
    _ fences: FenceIndex, stillIn inside: [Int], with fix: Fix
  ) -> [Transition] {
    var exits: [Transition] = []
    for index in entries.indices where entries[index].state != .outside {
      guard let position = fences.position(of: entries[index].fence) else {
        entries[index].state = .outside
        continue
      }
      let fence = fences.fences[position]
      let isEdited = entries[index].version != fence.version
      entries[index].version = fence.version
      if inside.contains(position) {
        entries[index].state = .inside
      } else if (entries[index].state == .leaving && !isEdited) || Self.isClear(fix, of: fence) {
        entries[index].state = .outside
        #if Canary
          if Canary.sameNumberTwice.isPlanted { entries[index].transitions -= 1 }
        #endif
        entries[index].transitions += 1
        exits.append(entries[index].transition(.exit, with: fix, isBaseline: false))
      } else {
        entries[index].state = .leaving
      }
    }
    return exits
  }

  private mutating func enter(
    _ fences: FenceIndex, at inside: [Int], with fix: Fix
  ) -> [Transition] {
    var enters: [Transition] = []
    for position in inside {
      let fence = fences.fences[position]
      let index = entries.firstIndex { $0.fence >= fence.id } ?? entries.count
      if index == entries.count || entries[index].fence != fence.id {
        entries.insert(
          Entry(fence: fence.id, version: fence.version, state: .outside, transitions: 0),
          at: index)
      }
      guard entries[index].state == .outside else { continue }
      entries[index].version = fence.version
      entries[index].state = .inside
      entries[index].transitions += 1
      let isBaseline = watched.sortedPosition(of: fence.id) == nil
      enters.append(entries[index].transition(.enter, with: fix, isBaseline: isBaseline))
    }
    return enters
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

extension CrossingDetector.Entry {
  fileprivate func transition(
    _ type: CrossingType, with fix: Fix, isBaseline: Bool
  ) -> Transition {
    Transition(
      fence: fence, version: version, type: type, isBaseline: isBaseline, number: transitions,
      fix: fix)
  }
}
