internal import MusterCRDT
internal import MusterGeo
internal import MusterModel
internal import MusterStatus
internal import MusterStore
internal import MusterSync

/// The evaluated fences, with the state of this device and of its trackers for each. A detected
/// crossing is an ordinary local write.
struct GeofenceMonitor: Sendable {
  /// One per subject since the start.
  private var detectors: [DeviceID: CrossingDetector] = [:]
  /// Nil after a change of a fence.
  private var zones: Zones?
  /// Indexes without some fences, by those that are left out; until a fence changes.
  private var partialIndexes: [Set<RowID>: FenceIndex] = [:]

  /// Programs have few combinations of trackers and collections; others are prepared again.
  private static let mostPartialIndexes = 16

  /// The current fences.
  struct Zones: Sendable {
    var index: FenceIndex
    /// What the index contains.
    var watched: [FenceUnderWatch] = []
    var prepared: [RowID: PreparedFence] = [:]
    /// As input of the status function.
    var all: [StatusZone] = []
    /// Zones that people can be sent to: active, and not a hazard; by id.
    var destinations: [Destination] = []
  }

  /// A zone that people can be sent to.
  struct Destination: Sendable {
    let zone: DirectiveZone
    /// Whether people are sent there by an order without zones.
    let isAssembly: Bool
    let fence: PreparedFence
  }

  /// The result of a fix. It counts once it is stored.
  struct Observation {
    fileprivate let subject: DeviceID
    fileprivate let detector: CrossingDetector
    let crossings: [Crossing]
    /// Whether no fix of this subject has a later sample time, so that it shows the current
    /// position.
    let isNewest: Bool
    /// Whether the subject's state for a fence has changed, including an ENTER that waits for its
    /// dwell time.
    let changesStanding: Bool
    /// Stored with the crossings, so that a restart neither repeats nor misses one.
    let state: [String: [UInt8]]
  }

  mutating func fencesChanged() {
    zones = nil
    partialIndexes = [:]
  }

  /// Returns the fences without those that a program excludes.
  private mutating func index(
    without excluded: Set<RowID>, in store: Store
  ) throws(StoreError) -> FenceIndex {
    let zones = try zones(in: store)
    guard !excluded.isEmpty else { return zones.index }
    if let known = partialIndexes[excluded] { return known }
    if partialIndexes.count >= Self.mostPartialIndexes { partialIndexes = [:] }
    let index = FenceIndex(zones.watched.filter { !excluded.contains($0.id) })
    partialIndexes[excluded] = index
    return index
  }

  mutating func zones(in store: Store) throws(StoreError) -> Zones {
    if let zones { return zones }
    var watched: [FenceUnderWatch] = []
    var built = Zones(index: FenceIndex([]))
    for row in try store.rows(.fence) where row.exists {
      guard case .geometry(let geometry)? = row.shown(.fenceGeometry)?.value else { continue }
      let prepared = PreparedFence(geometry)
      let (id, name) = (row.key.id, row.text(.fenceName) ?? "unnamed")
      built.prepared[id] = prepared
      watched.append(
        FenceUnderWatch(
          id: id, version: row.fenceVersion, isActive: row.isActiveFence, fence: prepared,
          mode: row.fenceMode, dwellSeconds: row.dwellSeconds, isHazard: row.fenceKind == .hazard))
      built.all.append(
        StatusZone(
          id: id, name: name, kind: row.fenceKind, isActive: row.isActiveFence, fence: prepared))
      guard row.isActiveFence, row.fenceKind != .hazard else { continue }
      built.destinations.append(
        Destination(
          zone: DirectiveZone(id: id, name: name), isAssembly: row.fenceKind == .muster,
          fence: prepared))
    }
    built.index = FenceIndex(watched)
    built.watched = watched
    zones = built
    return built
  }

  /// Evaluates a fix of this device, or of one of its trackers.
  ///
  /// - Parameters:
  ///   - stepsBack: whether the receiver's clock was set back, and this fix is the newest.
  ///   - isOld: whether the fix is no evidence of now.
  ///   - excluded: fences that are treated as inactive.
  mutating func observe(
    _ fix: Fix, by subject: DeviceID, stepsBack: Bool, isOld: Bool = false,
    without excluded: Set<RowID> = [], in store: Store
  ) throws -> Observation {
    let index = try index(without: excluded, in: store)
    let before = try detectors[subject] ?? Self.saved(for: subject, in: store)
    var detector = before
    if stepsBack { detector.clockWasSetBack() }
    let isNewest = detector.lastSampleTime.map { fix.sampleTime > $0 } ?? true
    let transitions =
      isOld
      ? detector.observeOld(fix, fences: index) : detector.observe(fix, fences: index)
    var state = [Self.stateKey(of: subject): detector.encoded()]
    if !detector.watchesAs(before) { state[Self.watchKey(of: subject)] = detector.encodedWatch() }
    return Observation(
      subject: subject, detector: detector,
      crossings: transitions.map { Crossing($0, of: subject) }, isNewest: isNewest,
      changesStanding: !detector.standsAs(before), state: state)
  }

  /// Applies an observation. The caller MUST have stored it, unless it changes no state.
  mutating func keep(_ observation: Observation) {
    detectors[observation.subject] = observation.detector
  }

  private static func saved(
    for subject: DeviceID, in store: Store
  ) throws -> CrossingDetector {
    #if Canary
      if Canary.forgetDetector.isPlanted { return CrossingDetector() }
    #endif
    guard let state = try store.local(stateKey(of: subject)) else { return CrossingDetector() }
    let watch = try store.local(watchKey(of: subject)) ?? []
    return try CrossingDetector(decoding: state, watch: watch)
  }

  private static func stateKey(of subject: DeviceID) -> String { "crossings \(subject)" }
  private static func watchKey(of subject: DeviceID) -> String { "watched fences \(subject)" }
}

extension Crossing {
  fileprivate init(_ transition: Transition, of subject: DeviceID) {
    self.init(
      type: transition.type, fence: transition.fence, fenceVersion: transition.version,
      subject: subject, transition: transition.number, fix: transition.fix,
      isBaseline: transition.isBaseline)
  }
}

extension RowState {
  var fenceKind: FenceKind { code(.fenceKind).flatMap(FenceKind.init) ?? .info }
  var fenceMode: FenceMode { code(.fenceMode).flatMap(FenceMode.init) ?? .careful }
  var dwellSeconds: UInt32 { number(.fenceDwellSeconds) ?? 0 }
  var isActiveFence: Bool { code(.fenceActive) == 1 }

  /// The version of a fence: the shown geometry and the shown active flag, by their dots.
  var fenceVersion: FenceVersion {
    FenceVersion(geometry: shown(.fenceGeometry)?.dot, active: shown(.fenceActive)?.dot)
  }
}
