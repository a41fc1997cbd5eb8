internal import MusterCRDT
internal import MusterGeo
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The fences under watch, and where this device stands with each, and the trackers that it speaks
/// for. A crossing that it sees is an ordinary local write.
struct GeofenceMonitor: Sendable {
  static let stateKey = "crossing detector"

  private(set) var detector: CrossingDetector
  /// Of trackers that were heard since the start, by what their rows are named by.
  private var trackers: [Bytes16: CrossingDetector] = [:]
  /// Nil after a fence has changed.
  private var zones: Zones?

  /// The fences as they are shown now.
  struct Zones: Sendable {
    var index: FenceIndex
    var muster: [SafetyZone] = []
    var hazard: [SafetyZone] = []
    var prepared: [RowID: PreparedFence] = [:]
  }

  /// - Parameter saved: the detector's state as it was last stored, so that it survives a restart.
  init(saved: [UInt8]?) throws {
    detector = try saved.map { try CrossingDetector(decoding: $0) } ?? CrossingDetector()
  }

  mutating func fencesChanged() { zones = nil }

  mutating func clockWasSetBack() { detector.clockWasSetBack() }

  mutating func zones(in store: Store) throws(StoreError) -> Zones {
    if let zones { return zones }
    var watched: [FenceUnderWatch] = []
    var built = Zones(index: FenceIndex([]))
    for row in try store.rows(.fence) where row.exists {
      guard case .geometry(let geometry)? = row.shown(.fenceGeometry)?.value else { continue }
      let prepared = PreparedFence(geometry)
      let id = row.key.id
      built.prepared[id] = prepared
      watched.append(
        FenceUnderWatch(
          id: id, version: row.fenceVersion, isActive: row.isActiveFence, fence: prepared,
          mode: row.fenceMode == .strictAWS ? .strictAWS : .careful))
      guard row.isActiveFence else { continue }
      let zone = SafetyZone(name: row.text(.fenceName) ?? "unnamed", fence: prepared)
      switch row.fenceKind {
      case .muster: built.muster.append(zone)
      case .hazard: built.hazard.append(zone)
      case .info: break
      }
    }
    built.index = FenceIndex(watched)
    zones = built
    return built
  }

  /// Takes a fix of this device: the crossings that it shows.
  mutating func observe(
    _ fix: Fix, by device: DeviceID, in store: Store
  ) throws(StoreError) -> [Crossing] {
    let zones = try zones(in: store)
    return detector.observe(fix, fences: zones.index).map { Crossing($0, of: device) }
  }

  /// Takes a fix of a tracker: the crossings that it shows, and whether it is the present.
  mutating func observe(
    _ fix: Fix, of nonce: Bytes16, as subject: DeviceID, in store: Store
  ) throws -> (crossings: [Crossing], isNewest: Bool) {
    let zones = try zones(in: store)
    var detector = try trackers[nonce] ?? Self.saved(of: nonce, in: store)
    let isNewest = detector.lastSampleTime.map { fix.sampleTime > $0 } ?? true
    let transitions = detector.observe(fix, fences: zones.index)
    trackers[nonce] = detector
    return (transitions.map { Crossing($0, of: subject) }, isNewest)
  }

  /// To be stored with the crossings.
  func encodedState(of nonce: Bytes16) -> [UInt8]? { trackers[nonce]?.encoded() }

  static func stateKey(of nonce: Bytes16) -> String { "\(stateKey) \(Hex.encode(nonce.bytes))" }

  private static func saved(of nonce: Bytes16, in store: Store) throws -> CrossingDetector {
    guard let bytes = try store.local(stateKey(of: nonce)) else { return CrossingDetector() }
    return try CrossingDetector(decoding: bytes)
  }
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
  func text(_ field: Field) -> String? {
    guard case .text(let text)? = shown(field)?.value else { return nil }
    return text
  }

  func code(_ field: Field) -> UInt8? {
    guard case .code(let code)? = shown(field)?.value else { return nil }
    return code
  }

  var fenceKind: FenceKind { code(.fenceKind).flatMap(FenceKind.init) ?? .info }
  var fenceMode: FenceMode { code(.fenceMode).flatMap(FenceMode.init) ?? .careful }
  var dwellSeconds: UInt32 {
    guard case .number(let seconds)? = shown(.fenceDwellSeconds)?.value else { return 0 }
    return seconds
  }
  var isActiveFence: Bool { code(.fenceActive) == 1 }

  /// Which fence a crossing crossed: the shown geometry and the shown active flag, by their dots.
  var fenceVersion: FenceVersion {
    FenceVersion(geometry: shown(.fenceGeometry)?.dot, active: shown(.fenceActive)?.dot)
  }
}
