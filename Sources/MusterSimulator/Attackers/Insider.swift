import MusterCRDT
import MusterModel
import MusterStore
import MusterSync

/// A member with real keys and a modified program, which signs unauthorized operations.
struct Insider {
  private var random: RandomStream
  /// A stream of its own, so that stories without photos give the same runs.
  private var photos: RandomStream

  init(seed: UInt64) {
    random = RandomStream(seed: seed, named: "insider")
    photos = RandomStream(seed: seed, named: "insider among photos")
  }

  /// Returns the next attempt, based on what this node knows.
  mutating func attempt(
    by node: SimulatedNode, among nodes: [SimulatedNode]
  ) throws -> (operations: [Operation], lane: Lane) {
    let lane = random.element(of: [Lane.state, .urgent]) ?? .state
    let others = nodes.filter { $0.index != node.index && $0.reads }
    switch random.below(8) {
    case 0: return (ownFence(by: node), lane)
    case 1: return (try another(.fence, by: node), lane)
    case 2, 3, 4: return (try another(.report, by: node), lane)
    case 5: return (try another(.user, by: node), lane)
    case 6: return (crossing(of: random.element(of: others) ?? node), lane)
    default: return (inTheNameOf(random.element(of: others) ?? node, node), lane)
    }
  }

  /// Returns an element with the blobs of a photo of another author, which lists them too, and
  /// states another key, time and place; nil without such a photo, and two times of three. Of its
  /// own photos, which other insiders imitate, it adds no second element.
  mutating func impostor(by node: SimulatedNode) throws -> [Operation]? {
    var others: [(report: RowKey, photo: Photo)] = []
    for row in try node.store.rows(.report) where row.exists {
      var own: Set<Bytes32> = []
      var found: [Photo] = []
      for value in row.values(of: .reportPhotos) {
        guard case .photo(let photo) = value.value else { continue }
        if value.author == node.credentials.user {
          own.insert(photo.original.root)
        } else {
          found.append(photo)
        }
      }
      others += found.filter { !own.contains($0.original.root) }.map { (row.key, $0) }
    }
    guard let known = photos.element(of: others), photos.below(3) == 0 else { return nil }
    func changed(_ blob: BlobReference) -> BlobReference {
      BlobReference(
        root: blob.root, length: blob.length, key: .zero, type: blob.type, width: 1, height: 1)
    }
    let photo = Photo(
      original: changed(known.photo.original), thumbnail: changed(known.photo.thumbnail),
      takenAt: Timestamp(milliseconds: 0),
      position: Terrain.coordinate(of: GroundPoint(north: 7, east: 7)))
    return [.write(Write(row: known.report.id, field: .reportPhotos, value: .photo(photo)))]
  }

  /// Members may not create fences.
  private mutating func ownFence(by node: SimulatedNode) -> [Operation] {
    let origin = RowOrigin(owner: node.credentials.user, nonce: nonce())
    let row = RowID(operation: node.credentials.operation, origin: origin)
    let outline = FenceGeometry.circle(
      center: Terrain.coordinate(of: GroundPoint(north: 0, east: 0)), radiusCentimetres: 100_000)
    let values: [(field: Field, value: Value)] = [
      (.fenceExistence, .mark), (.fenceName, .text("Not entitled")),
      (.fenceKind, .code(FenceKind.hazard.rawValue)), (.fenceGeometry, .geometry(outline)),
      (.fenceActive, .code(1)),
    ]
    return values.map {
      .write(Write(row: row, field: $0.field, value: $0.value, origin: origin))
    }
  }

  private static let openToMembers: [Field] = [
    .reportComments, .reportConfirmations, .reportContentConfirmations, .reportPhotos,
    .reportPhotoMarks,
  ]

  /// Changes a row of another user, and removes values in it.
  private mutating func another(
    _ kind: EntityKind, by node: SimulatedNode
  ) throws -> [Operation] {
    let rows = try node.store.rows(kind).filter { $0.owner != node.credentials.user }
    guard let row = random.element(of: rows) else { return ownFence(by: node) }
    let fields = Field.allCases.filter {
      $0.entity == kind && !Self.openToMembers.contains($0)
    }
    guard let field = random.element(of: fields) else { return [] }
    var takesAway: [Operation] = []
    for field in Self.openToMembers where field.entity == kind {
      // Users may remove their own values.
      let others = row.values(of: field).filter { $0.author != node.credentials.user }
      takesAway.append(
        .write(
          Write(row: row.key.id, field: field, value: nil, supersedes: others.map(\.dot))))
    }
    return [
      .write(
        Write(
          row: row.key.id, field: field, value: value(of: field, by: node),
          supersedes: row.dots(of: field), origin: row.origin))
    ] + takesAway
  }

  /// Returns a value of the field's type, so that it is decoded and then checked.
  private mutating func value(of field: Field, by node: SimulatedNode) -> Value? {
    switch field {
    case .reportExistence, .fenceExistence, .directiveExistence, .trackerExistence,
      .permitExistence, .checkInExistence, .unverifiedCallExistence:
      return nil
    default: break
    }
    switch field.form {
    case .text: return .text("Not entitled")
    case .code: return .code(UInt8(random.below(2)))
    case .mark: return .mark
    case .claim: return .claim(.safe, note: "not entitled")
    case .overruling: return .overruling(.safe, note: "not entitled", seen: [])
    case .position:
      return .position(Terrain.coordinate(of: GroundPoint(north: 5, east: 5)))
    case .geometry:
      return .geometry(
        .circle(
          center: Terrain.coordinate(of: GroundPoint(north: 9, east: 9)), radiusCentimetres: 5))
    case .reference: return .reference(RowID(raw: nonce()))
    case .time: return .time(Timestamp(milliseconds: NodeClock.epochMilliseconds))
    case .number: return .number(UInt32(random.below(100)))
    case .bytes:
      return .bytes([UInt8](repeating: 3, count: Limits.sealedCallBytes))
    case .reply: return .reply(node.credentials.user, note: "not entitled")
    case .trackerReply: return .trackerReply(nonce(), note: "not entitled")
    case .profile: return .profile(.background)
    case .relayedClaim:
      return .relayedClaim(.safe, note: "not entitled", login: "nobody", seen: [])
    case .signOff: return .signOff(reason: "not entitled", seen: [])
    case .alertReply:
      return .alertReply(AlertReply(user: node.credentials.user, note: "not entitled"))
    case .checkIn:
      return .checkIn(CheckInReport(kind: .ok, nextSeconds: 60, note: "not entitled"))
    // Members add photos to any report: see `impostor`.
    case .photo: return nil
    }
  }

  /// A report in the name of another user.
  private mutating func inTheNameOf(_ other: SimulatedNode, _ node: SimulatedNode) -> [Operation] {
    let origin = RowOrigin(owner: other.credentials.user, nonce: nonce())
    let row = RowID(operation: node.credentials.operation, origin: origin)
    return [
      .write(Write(row: row, field: .reportExistence, value: .mark, origin: origin)),
      .write(Write(row: row, field: .reportTitle, value: .text("Not mine"), origin: origin)),
    ]
  }

  /// A fence event in the name of another user.
  private mutating func crossing(of other: SimulatedNode) -> [Operation] {
    [
      .crossing(
        Crossing(
          type: .enter, fence: RowID(raw: nonce()), fenceVersion: FenceVersion(raw: nonce()),
          subject: other.credentials.device, transition: 1,
          fix: Fix(
            position: Terrain.coordinate(of: GroundPoint(north: 0, east: 0)),
            sampleTime: Timestamp(milliseconds: NodeClock.epochMilliseconds)),
          isBaseline: false))
    ]
  }

  private mutating func nonce() -> Bytes16 { Bytes16(high: random.next(), low: random.next()) }
}
