internal import MusterCRDT
internal import MusterCrypto
internal import MusterModel
internal import MusterStore

/// The marks on the photos of a report, from its row.
struct PhotoMarks {
  private let row: RowState
  private let marks: [(value: LiveValue, mark: PhotoMark)]

  init(in row: RowState) {
    self.row = row
    marks = row.values(of: .reportPhotoMarks).sorted { $0.dot < $1.dot }.compactMap { value in
      Self.decoded(value.value).map { (value, $0) }
    }
  }

  /// Returns the marks on a photo in the order of their dots, of each author the first
  /// `Limits.marksPerPhoto`: the same on every node.
  func summaries(
    on item: ReportPhotos.Item, in context: ReadContext
  ) throws(StoreError) -> [PhotoMarkSummary] {
    var counts: [UserID: Int] = [:]
    var found: [PhotoMarkSummary] = []
    for (value, mark) in marks where mark.isOn(item) {
      guard counts[value.author, default: 0] < Limits.marksPerPhoto else { continue }
      counts[value.author, default: 0] += 1
      found.append(
        PhotoMarkSummary(
          id: value.dot.name, mark: mark, callsign: try context.authorship(of: value),
          author: value.author, drawnAt: value.writtenAt))
    }
    return found
  }

  /// Throws `Refusal` if this author may not add the mark.
  func admit(_ mark: PhotoMark, by author: Author) throws(Refusal) {
    let shape = mark.drawing.shape
    guard mark.drawing.isWithinLimits else {
      throw Refusal(
        "a mark of shape \(shape.name) has \(shape.points.lowerBound) to "
          + "\(shape.points.upperBound) points; only a text has a text, of one line and at "
          + "most \(Limits.photoMarkTextBytes) bytes")
    }
    let item = try ReportPhotos(in: row).item(mark.photo)
    let own = marks.count { $0.mark.isOn(item) && $0.value.author == author.user }
    guard own < Limits.marksPerPhoto else {
      throw Refusal(
        "you drew \(Limits.marksPerPhoto) marks on photo \(mark.photo.short): remove one first",
        .unfit)
    }
  }

  /// Returns the write of the mark with this id, of which at least four digits are given. Throws
  /// `Refusal` if there is no single one, or if this author may not remove it.
  func removable(_ reference: String, by author: Author) throws(Refusal) -> Dot {
    let found = marks.filter {
      reference.count >= 4 && $0.value.dot.name.hasPrefix(reference.lowercased())
    }
    guard let only = found.first?.value, found.count == 1 else {
      throw Refusal(
        "report \(row.key.id.short) has no single mark \(reference.prefix(40)): give more digits "
          + "of its id", .unknown)
    }
    guard author.role == .command || only.author == author.user else {
      throw Refusal(
        "only its author or command may remove mark \(reference): ask one of them", .notAllowed)
    }
    return only.dot
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

extension PhotoMark {
  /// Whether it is shown on a photo. A mark of an earlier program names the address of an original:
  /// it is on each photo with this original, whichever author added it.
  fileprivate func isOn(_ item: ReportPhotos.Item) -> Bool {
    photo == item.id || photo.raw == item.photo.original.id.raw
  }
}
