public import MusterModel
internal import MusterSync

/// What a projection wrote.
public struct ProjectionOutcome: Hashable, Sendable {
  /// Frames that the node lacked and received from the archive.
  public var merged: Int
  /// The state hash of what is projected: that of every node with the same frames.
  public var stateHash: StateHash
  /// Projected people.
  public var users: Int
  /// Projected reports.
  public var reports: Int
  /// Projected zones.
  public var fences: Int
  /// Projected photos with their content.
  public var photos: Int
}

/// Projects an operation: archived frames ─▶ the node of a device that reads ─▶ tables.
///
/// The node merges frames by the rules that every node follows; there is no second implementation
/// of them in SQL. One projector of an operation works at a time (advisory lock).
struct Projector {
  let archive: Archive
  let post: ArchivePost
  /// Returns 32 bytes from the operating system.
  let seed: () -> [UInt8]

  private static let attempts = 10
  private static let trackFixes = 100_000

  private var operation: OperationID { post.local.operation }

  func project() async throws -> ProjectionOutcome {
    guard post.local.author.role.reads else {
      throw ArchiveFault(
        "the device of --home is a relay, and cannot read: archive blindly with `import` and "
          + "`follow`, or give --home of a device of role archive")
    }
    try ArchiveSchema.prepareProjection(archive.database)
    try lock()
    let filler = NodeFiller(archive: archive, post: post, seed: seed)
    let merged = try await filler.mergeMissing()
    var state = try await state()
    // Photos of which the archive has more than the node.
    let incomplete = state.photos.filter { !$0.photo.original.isComplete }.map(\.photo.address)
    if !incomplete.isEmpty, try archive.holdsUnits(of: incomplete, in: operation) {
      try await filler.merge(blobs: Set(incomplete))
      state = try await self.state()
    }
    var outcome = try await write(state, merged: merged)
    outcome.photos = try await writePhotos(state.photos)
    try PositionTable(database: archive.database, operation: operation).sortPastDays()
    return outcome
  }

  private func lock() throws {
    let key = Int64(bitPattern: operation.raw.high)
    let row = try archive.database.run(
      "SELECT pg_try_advisory_lock($1::bigint)", [.integer(key)]
    ).first
    guard row?.integer(0) != 0 else {
      throw ArchiveFault(
        "another program projects this operation now: wait until it has ended", isTransient: true)
    }
  }

  // MARK: State

  /// What the node shows at one state hash.
  private struct State {
    let hash: StateHash
    let users: [UserSummary]
    let reports: [ReportSummary]
    let fences: [FenceSummary]
    let events: [CrossingSummary]
    let directives: [DirectiveSummary]
    let records: [UserRecord]
    let photos: [ReportedPhoto]

    func tables() throws -> [ProjectedTable] {
      // A list of reports has the number of photos only.
      let shown = Dictionary(grouping: photos, by: \.report)
      let reports = reports.map { report in
        var report = report
        report.photos = shown[report.id]?.map(\.photo) ?? []
        return report
      }
      return try [
        .users(users), .reports(reports), .fences(fences), .events(events),
        .directives(directives), .records(records, of: users), .blobs(photos),
      ]
    }
  }

  /// Reads everything while the state hash stays the same.
  private func state() async throws -> State {
    for _ in 0..<Self.attempts {
      guard case .status(let before) = try await post.ask(.status),
        case .users(let users) = try await post.ask(.users),
        case .reports(let reports) = try await post.ask(.reports),
        case .fences(let fences) = try await post.ask(.fences),
        case .events(let events) = try await post.ask(.events(after: nil, limit: .max)),
        case .directives(let directives) = try await post.ask(.directives)
      else { throw ArchivePost.unexpectedReply }
      let (records, photos) = try await (records(of: users), photos(of: reports))
      guard case .status(let after) = try await post.ask(.status) else {
        throw ArchivePost.unexpectedReply
      }
      guard !after.stateIsIncomplete else {
        throw ArchiveFault(
          "the device of --home lacks a key: let it meet a command device, or import from one, "
            + "then project again")
      }
      if before.stateHash == after.stateHash {
        return State(
          hash: after.stateHash, users: users, reports: reports, fences: fences, events: events,
          directives: directives, records: records, photos: photos)
      }
    }
    throw ArchiveFault(
      "the operation changes too fast to be read at one moment: project again later",
      isTransient: true)
  }

  private func records(of users: [UserSummary]) async throws -> [UserRecord] {
    var records: [UserRecord] = []
    for user in users where !user.isTracker {
      guard case .records(let some) = try await post.ask(.records(of: user.id)) else {
        throw ArchivePost.unexpectedReply
      }
      records += some
    }
    return records
  }

  private func photos(of reports: [ReportSummary]) async throws -> [ReportedPhoto] {
    var photos: [ReportedPhoto] = []
    for report in reports where report.photoCount > 0 {
      guard case .photos(let some) = try await post.ask(.photos(report.id.description)) else {
        throw ArchivePost.unexpectedReply
      }
      photos += some.map { ReportedPhoto(report: report.id, photo: $0) }
    }
    return photos
  }

  // MARK: Tables

  /// Writes the content of photos that the node has.
  ///
  /// - Returns: how many photos have content now.
  private func writePhotos(_ photos: [ReportedPhoto]) async throws -> Int {
    let table = PhotoTable(database: archive.database, operation: operation)
    let missing = try table.missing(photos)
    var written = 0
    for item in missing where item.photo.original.isComplete {
      guard
        case .photo(let content) = try await post.ask(
          .photo(
            item.photo.id.description, of: item.report.description, kind: .original))
      else { throw ArchivePost.unexpectedReply }
      try table.write(content.bytes, of: item.photo.id)
      written += 1
    }
    return photos.count - missing.count + written
  }

  /// The fixes of a person to be projected.
  private struct Track {
    let person: UserID
    let callsign: String
    let fixes: [Fix]
    /// Whether they replace what was projected: a device of the person was revoked, and what it
    /// sent after its cut-off does not count.
    let isWhole: Bool
  }

  private func tracks(of users: [UserSummary], _ revoked: Set<UserID>) async throws -> [Track] {
    var tracks: [Track] = []
    for user in try changed(users) where !revoked.contains(user.id) {
      tracks.append(try await track(of: user.id, user, isWhole: false))
    }
    for person in revoked.sorted() {
      let user = users.first { $0.id == person }
      tracks.append(try await track(of: person, user, isWhole: true))
    }
    return tracks
  }

  private func track(of person: UserID, _ user: UserSummary?, isWhole: Bool) async throws -> Track {
    let last = [user?.fix].compactMap(\.self)
    guard user != nil else {
      return Track(person: person, callsign: person.short, fixes: last, isWhole: isWhole)
    }
    guard
      case .track(let fixes) = try await post.ask(
        .track(of: person.description, limit: Self.trackFixes))
    else { throw ArchivePost.unexpectedReply }
    return Track(
      person: person, callsign: user?.callsign ?? person.short, fixes: fixes + last,
      isWhole: isWhole)
  }

  private func write(_ state: State, merged: Int) async throws -> ProjectionOutcome {
    let database = archive.database
    let positions = PositionTable(database: database, operation: operation)
    guard case .devices(let devices) = try await post.ask(.devices) else {
      throw ArchivePost.unexpectedReply
    }
    let revoked = devices.filter(\.isRevoked)
    let tracks = try await tracks(of: state.users, positions.changed(by: revoked))
    try database.transaction {
      for track in tracks {
        if track.isWhole {
          try positions.replace(by: track.fixes, of: track.person, callsign: track.callsign)
        } else {
          try positions.add(track.fixes, of: track.person, callsign: track.callsign)
        }
      }
      try positions.note(revoked)
      for table in try state.tables() { try table.write(into: database, of: operation) }
      try database.run(
        """
        INSERT INTO projections
        SELECT $1::bytea, $2::bytea, coalesce(sum(stored), 0), now() FROM posts WHERE operation = $1
        ON CONFLICT (operation) DO UPDATE SET state_hash = excluded.state_hash,
          frames = excluded.frames, projected_at = excluded.projected_at
        """, [.bytes(operation.bytes), .bytes(state.hash.bytes)])
      try database.run("SELECT pg_notify('muster', $1::text)", [.text(operation.description)])
    }
    return ProjectionOutcome(
      merged: merged, stateHash: state.hash, users: state.users.count,
      reports: state.reports.count, fences: state.fences.count, photos: 0)
  }

  /// Returns the people whose newest position is not projected.
  private func changed(_ users: [UserSummary]) throws -> [UserSummary] {
    var known: [UserID: Int64] = [:]
    for row in try archive.database.run(
      """
      SELECT id, round(extract(epoch FROM fix_at) * 1000)::bigint FROM users
      WHERE operation = $1 AND fix_at IS NOT NULL
      """, [.bytes(operation.bytes)])
    {
      guard let id = UserID(bytes: row.bytes(0)) else { throw Archive.damaged }
      known[id] = row.integer(1)
    }
    return users.filter { user in
      user.fix.map { known[user.id] != $0.sampleTime.milliseconds } ?? false
    }
  }
}

extension Archive {
  /// Projects the operation of a device into tables for search and maps: the archived frames that
  /// its node lacks are merged there, and what it then shows is written. Throws `ArchiveFault`.
  ///
  /// - Parameters:
  ///   - post: a device whose role may read.
  ///   - seed: returns 32 bytes from the operating system.
  public func project(
    by post: ArchivePost, seed: @escaping () -> [UInt8]
  ) async throws -> ProjectionOutcome {
    try await Projector(archive: self, post: post, seed: seed).project()
  }
}
