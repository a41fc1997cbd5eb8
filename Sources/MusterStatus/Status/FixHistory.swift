public import MusterModel

/// The usable fixes of a device that still matter: a fine one decides for every zone, so earlier
/// ones are dropped.
public struct FixHistory: Hashable, Sendable {
  /// The number of fixes kept of one device.
  public static let limit = 16

  /// By order, the newest last.
  public private(set) var fixes: [FixEvidence] = []

  /// Creates an empty history.
  public init() {}

  /// Inserts all fixes in any order, and drops unusable ones.
  public init(all fixes: [FixEvidence]) {
    self.fixes = fixes.filter(\.isUsable).sorted { $0.order < $1.order }
  }

  /// The newest usable fix.
  public var newest: FixEvidence? { fixes.last }

  /// Replaces the evidence of the time of a fix.
  public mutating func refine(_ order: RecordOrder, made: Evidence, age: FixAge = .none) {
    guard let index = fixes.lastIndex(where: { $0.order == order }) else { return }
    let fix = fixes[index]
    fixes[index] = FixEvidence(
      order: order, position: fix.position, accuracyDecimetres: fix.accuracyDecimetres, made: made,
      age: age)
  }

  /// Adds usable fixes that are new, in any order. Beyond the limit, fixes are dropped that change
  /// no status in these zones.
  ///
  /// - Parameter isRevoked: whether the device is revoked: its fixes clear nothing.
  public mutating func record(
    _ found: [FixEvidence], isRevoked: Bool, in scene: StatusScene, limit: Int = Self.limit
  ) {
    let new = found.filter { fix in fix.isUsable && !fixes.contains { $0.order == fix.order } }
    guard !new.isEmpty else { return }
    fixes = (fixes + new).sorted { $0.order < $1.order }
    if !isRevoked, let decisive = fixes.lastIndex(where: \.isDecisive) {
      fixes.removeSubrange(..<decisive)
    }
    while fixes.count > limit { dropOne(isRevoked: isRevoked, in: scene) }
  }

  /// Drops the oldest fix that is neither the newest in danger of a zone nor the one that clears
  /// it; a fine one last, since it decides for zones that are drawn later.
  private mutating func dropOne(isRevoked: Bool, in scene: StatusScene) {
    func dangers(_ fixes: [FixEvidence]) -> [RecordOrder?] {
      scene.hazards.map { HazardReplay.newest(fixes, isRevoked: isRevoked, in: $0) }
    }
    let shown = dangers(fixes)
    let older = fixes.indices.dropLast()
    let candidates = older.filter { !fixes[$0].isDecisive } + older.filter { fixes[$0].isDecisive }
    let spare = candidates.first { index in
      var rest = fixes
      rest.remove(at: index)
      return dangers(rest) == shown
    }
    fixes.remove(at: spare ?? fixes.startIndex)
  }
}

extension EarlierFix {
  /// Whether it decides for each zone, so that no earlier fix matters: usable, fine and not old.
  public var supersedesEarlier: Bool {
    let fix = FixEvidence(self, before: .unknown)
    return fix.isUsable && fix.isDecisive
  }

  /// Returns the fixes that a new position of a device carries: those since the last fine one, and
  /// that itself. A fine fix supersedes all.
  ///
  /// - Parameters:
  ///   - fix: the fix of the new position.
  ///   - last: what the device's last position carried, and its own fix.
  ///   - scene: the zones that the author knows, if fixes must be dropped.
  public static func carried(
    by fix: EarlierFix, after last: [EarlierFix], in scene: StatusScene
  ) -> [EarlierFix] {
    if fix.supersedesEarlier { return [] }
    var history = FixHistory()
    history.record(
      last.map { FixEvidence($0, before: .unknown) }, isRevoked: false, in: scene,
      limit: Limits.earlierFixes)
    return history.fixes.map(EarlierFix.init)
  }

  /// Takes what a later position needs of a fix.
  public init(_ fix: FixEvidence) {
    self.init(
      order: fix.order, position: fix.position, accuracyDecimetres: fix.accuracyDecimetres,
      wasOld: fix.age.wasOld)
  }
}

extension Evidence {
  /// Where the time does not matter.
  fileprivate static let unknown = Evidence.stamped(
    Span(earliest: Span.longAgo, latest: Span.longAgo))
}
