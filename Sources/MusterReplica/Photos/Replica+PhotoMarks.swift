internal import MusterCRDT
public import MusterModel
internal import MusterStore

/// Marks on photos: elements of a set in the report's row, so that concurrent drawings merge.
extension Replica {
  /// Draws a mark over a photo of a report; command and members. A mark on a photo that is removed
  /// is no longer shown.
  public mutating func addMark(
    _ mark: PhotoMark, to id: RowID, now: ClockReading
  ) throws -> Outcome {
    try require(.command, .member)
    let shape = mark.drawing.shape
    guard mark.drawing.isWithinLimits else {
      throw Refusal(
        "a mark of shape \(shape.name) has \(shape.points.lowerBound) to "
          + "\(shape.points.upperBound) points; only a text has a text, of one line and at "
          + "most \(Limits.photoMarkTextBytes) bytes")
    }
    let state = try settled(.report, id, now: now)
    _ = try PhotoReader.values(of: mark.photo, in: state)
    let own = PhotoMarks.all(in: state).filter {
      $0.mark.photo == mark.photo && $0.value.author == local.author.user
    }
    guard own.count < Limits.marksPerPhoto else {
      throw Refusal(
        "you drew \(Limits.marksPerPhoto) marks on photo \(mark.photo.short): remove one first",
        .unfit)
    }
    var composer = Composer(state, origin: nil)
    composer.insert(.reportPhotoMarks, .bytes(mark.encoded()))
    return try write(composer.writes, lane: state.lane, now: now)
  }

  /// Removes a mark; its author and command.
  ///
  /// - Parameter reference: its id, or at least four of its digits.
  public mutating func removeMark(
    _ reference: String, of id: RowID, now: ClockReading
  ) throws -> Outcome {
    try require(.command, .member)
    let state = try settled(.report, id, now: now)
    let found = PhotoMarks.all(in: state).filter {
      reference.count >= 4 && $0.value.dot.name.hasPrefix(reference.lowercased())
    }
    guard let only = found.first?.value, found.count == 1 else {
      throw Refusal("report \(id.short) has no single mark \(reference.prefix(40))", .unknown)
    }
    guard local.author.role == .command || only.author == local.author.user else {
      throw Refusal("only its author or command may remove mark \(reference)", .notAllowed)
    }
    var composer = Composer(state, origin: nil)
    composer.remove(.reportPhotoMarks, [only.dot])
    return try write(composer.writes, lane: state.lane, now: now)
  }
}

/// The marks on the photos of a report, from its row.
struct PhotoMarks {
  typealias Found = (value: LiveValue, mark: PhotoMark)

  private let marks: [Found]

  init(in row: RowState) { marks = Self.all(in: row) }

  /// Returns the marks on a photo in the order of their dots, of each author the first
  /// `Limits.marksPerPhoto`: the same on every node.
  func summaries(
    on photo: BlobID, in context: ReadContext
  ) throws(StoreError) -> [PhotoMarkSummary] {
    var counts: [UserID: Int] = [:]
    var found: [PhotoMarkSummary] = []
    for (value, mark) in marks where mark.photo == photo {
      guard counts[value.author, default: 0] < Limits.marksPerPhoto else { continue }
      counts[value.author, default: 0] += 1
      found.append(
        PhotoMarkSummary(
          id: value.dot.name, mark: mark, callsign: try context.callsign(of: value.author),
          author: value.author, drawnAt: value.writtenAt))
    }
    return found
  }

  static func all(in row: RowState) -> [Found] {
    row.values(of: .reportPhotoMarks).sorted { $0.dot < $1.dot }.compactMap { value in
      decoded(value.value).map { (value, $0) }
    }
  }

  private static func decoded(_ value: Value) -> PhotoMark? {
    guard case .bytes(let bytes) = value else { return nil }
    do throws(DecodingFault) {
      return try PhotoMark(decoding: bytes)
    } catch {
      return nil
    }
  }
}
