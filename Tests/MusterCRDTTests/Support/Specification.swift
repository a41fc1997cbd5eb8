import MusterCRDT
import MusterModel

/// What a row must show, defined over the whole set of writes without an order: an authorized
/// write's value is live unless an authorized write with authority over it names it.
struct Specification: Equatable {
  let owner: UserID?
  let live: [Field: [LiveValue]]
  let exists: Bool
  /// The earliest time of all existences by the owner, while any existence is live.
  let createdAt: Timestamp?
  /// The least of the principals of the owner's existences that supersede nothing.
  let createdOnBehalfOf: Principal?

  init(of frames: [WrittenFrame], in key: RowKey) {
    let writes = frames.flatMap(\.authored)
    let places = Dictionary(
      frames.map { ($0.name, $0.place) }, uniquingKeysWith: { first, _ in first })
    let owner =
      !key.kind.hasOrigin
      ? UserID(raw: key.id.raw) : writes.lazy.compactMap { $0.write.origin?.owner }.first
    let counting = owner.map { owner in writes.filter { Self.counts($0, owner: owner) } } ?? []
    var live: [Field: [LiveValue]] = [:]
    for write in counting {
      guard let value = write.write.value else { continue }
      let isTaken = counting.contains { taker in
        taker.write.field == write.write.field
          && taker.write.supersedes.contains(write.dot)
          && Self.mayTake(write, taker.author)
      }
      let later = counting.count { Self.isLater($0, than: write, places) }
      if isTaken || later >= Self.most(beside: write) { continue }
      live[write.write.field, default: []].append(
        LiveValue(
          dot: write.dot, value: value, author: write.author.user, role: write.author.role,
          writtenAt: write.writtenAt, onBehalfOf: write.onBehalfOf))
    }
    self.owner = owner
    self.live = live.mapValues { $0.sorted { $0.dot < $1.dot } }
    let existence = Field.existence(of: key.kind)
    let creations = counting.filter {
      $0.write.field == existence && $0.write.value != nil
        && ($0.author.user == owner || key.kind == .checkIn)
    }
    exists =
      existence.map { !creations.isEmpty && live[$0] != nil && live[.fenceDeleted] == nil } ?? true
    createdAt = existence.flatMap { live[$0] }.flatMap { _ in creations.map(\.writtenAt).min() }
    createdOnBehalfOf = creations.filter { !$0.write.takesEarlier && $0.write.supersedes.isEmpty }
      .compactMap(\.onBehalfOf).min()
  }

  init(_ row: RowState) {
    owner = row.owner
    var live: [Field: [LiveValue]] = [:]
    for field in Field.allCases where !row.values(of: field).isEmpty {
      live[field] = row.values(of: field)
    }
    self.live = live
    exists = row.exists
    createdAt = row.createdAt
    createdOnBehalfOf = row.createdOnBehalfOf
  }

  private static func counts(_ write: AuthoredWrite, owner: UserID) -> Bool {
    let (field, author) = (write.write.field, write.author)
    let isPermitted =
      switch author.role {
      case .relay: false
      case .archive: field == .userCallsign && author.user == owner
      case _ where field == .exposureNote: author.device.raw == write.write.row.raw
      case _ where [.unverifiedCallExistence, .unverifiedCallContent].contains(field):
        author.user == owner && [.command, .member].contains(author.role)
      case _ where field == .unverifiedCallOutcome: author.role == .command
      case .command:
        author.user == owner
          || ![.userSafetyClaim, .trackPoints, .recordValue].contains(field)
      case .member:
        ![
          .fence, .settings, .directive, .permit, .alertAcknowledgement, .exposure,
        ].contains(field.entity)
          && author.user == owner && (!isSetByCommand(field) || write.write.value == nil)
          || [
            .reportComments, .reportConfirmations, .reportContentConfirmations, .reportPhotos,
            .reportPhotoMarks,
          ].contains(field)
          || field == .directiveTrackerReplies
          || [.directiveAcknowledgements, .alertAcknowledgements].contains(field)
            && isOwnReply(write)
      case .observer:
        [.user, .checkIn, .record].contains(field.entity) && author.user == owner
          && (!isSetByCommand(field) || write.write.value == nil)
      }
    let isOfItsType = write.write.value.map { field.accepts($0) } ?? true
    return isPermitted && isOfItsType && write.write.supersedes.count <= 64
  }

  private static func isOwnReply(_ write: AuthoredWrite) -> Bool {
    switch write.write.value {
    case .reply(let user, _): user == write.author.user
    case .alertReply(let reply): reply.user == write.author.user
    case nil: true
    default: false
    }
  }

  /// Whether the field is a statement about a person who may supersede it and not write it.
  private static func isSetByCommand(_ field: Field) -> Bool {
    [.userSafetyOverride, .userRelayedClaim, .trackerSafetyOverride].contains(field)
  }

  private static let setsOfElements: [Field] = [
    .reportComments, .reportConfirmations, .directiveUsers, .directiveAcknowledgements,
    .directiveZones, .directiveSupersedes, .directiveExpected, .permitUsers,
    .alertAcknowledgements, .directiveTrackerReplies, .reportPhotos, .reportPhotoMarks, .fenceRules,
    .settingsContacts, .exposureNotices, .reportContentConfirmations,
  ]

  /// Whether a write of the same log to the same field came later, and counts for the bound.
  private static func isLater(
    _ later: AuthoredWrite, than write: AuthoredWrite, _ places: [Bytes16: LogPosition]
  ) -> Bool {
    guard later.write.field == write.write.field, let last = places[later.dot.frame],
      let first = places[write.dot.frame], last.log == first.log
    else { return false }
    let isElement =
      setsOfElements.contains(write.write.field)
      || [.fenceDeleted, .permitRevoked].contains(write.write.field)
    if isElement, later.write.value == nil { return false }
    return (last.sequence, later.dot.index) > (first.sequence, write.dot.index)
  }

  /// How many later writes of its log a write may have and still count.
  private static func most(beside write: AuthoredWrite) -> Int {
    guard setsOfElements.contains(write.write.field) else { return 1 }
    guard write.author.role != .command else { return .max }
    return switch write.write.field {
    case .reportComments: 128
    case .reportPhotoMarks: 256
    case .directiveTrackerReplies: 512
    default: 64
    }
  }

  private static func mayTake(_ element: AuthoredWrite, _ taker: Author) -> Bool {
    switch element.write.field {
    case .fenceDeleted, .permitRevoked: false
    case _ where setsOfElements.contains(element.write.field):
      taker.role == .command || taker.user == element.author.user
    default: true
    }
  }
}
