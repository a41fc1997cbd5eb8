internal import MusterCRDT
internal import MusterModel
internal import MusterSync

/// The photos of a report, from its row, in the order of their places.
///
/// A photo is an element of the set, named by its author and its dot. Elements of several authors
/// with the same blobs are several photos, so none of them hides another or is removed with it.
/// Places are dealt in turns: the first photo of each author, then the second of each. An author's
/// photos are in the order of their dots, and the owner of the report comes first in each turn. No
/// claimed time decides, and no author takes the places of others.
struct ReportPhotos {
  /// An element that adds a photo.
  struct Item {
    let id: PhotoID
    let value: LiveValue
    let photo: Photo
  }

  /// All photos, shown or not.
  let all: [Item]
  private let report: RowID

  init(in row: RowState) {
    report = row.key.id
    var authors: [UserID: [Item]] = [:]
    for value in row.values(of: .reportPhotos).sorted(by: { $0.dot < $1.dot }) {
      guard case .photo(let photo) = value.value else { continue }
      #if Canary
        let isKnown = authors.values.joined().contains {
          $0.photo.original.root == photo.original.root
        }
        if Canary.onePhotoPerBlob.isPlanted, isKnown { continue }
      #endif
      authors[value.author, default: []].append(
        Item(id: PhotoID(author: value.author, dot: value.dot), value: value, photo: photo))
    }
    all = Self.dealt(authors, first: row.owner)
  }

  private static func dealt(_ authors: [UserID: [Item]], first owner: UserID?) -> [Item] {
    let lines = authors.sorted { left, right in
      (left.key == owner ? 0 : 1, left.key) < (right.key == owner ? 0 : 1, right.key)
    }.map(\.value)
    return (0..<(lines.map(\.count).max() ?? 0)).flatMap { turn in
      lines.compactMap { turn < $0.count ? $0[turn] : nil }
    }
  }

  /// Those that every node shows.
  var shown: ArraySlice<Item> { all.prefix(Limits.photosPerReport) }

  /// Returns a photo, shown or not. Throws `Refusal` if the report does not have it.
  func item(_ id: PhotoID) throws(Refusal) -> Item {
    guard let found = all.first(where: { $0.id == id }) else {
      throw Refusal(
        "report \(report.short) has no photo \(id.short): see muster report show", .unknown)
    }
    return found
  }

  /// Returns a shown photo by its `PhotoReference`. Throws `Refusal` if there is none, or several.
  func item(named reference: String) throws(Refusal) -> Item {
    let shown = Array(shown)
    do throws(PhotoReference.Fault) {
      return shown[try PhotoReference.index(of: reference, in: shown.map(\.id))]
    } catch {
      throw Refusal(error.description, .unknown)
    }
  }

  /// Throws `Refusal` if this author may add no further photo: only the author's own are counted.
  func requireRoom(for author: Author) throws(Refusal) {
    guard all.count(where: { $0.value.author == author.user }) < Limits.photosPerReport else {
      throw Refusal(
        "you added \(Limits.photosPerReport) photos to report \(report.short): remove one, or add "
          + "a report")
    }
  }

  /// Returns a photo that this author may remove. Throws `Refusal` for any other.
  func requireRemovable(_ id: PhotoID, by author: Author) throws(Refusal) -> Item {
    let item = try item(id)
    guard author.role == .command || item.value.author == author.user else {
      throw Refusal(
        "only its author or command may remove photo \(id.short): ask one of them", .notAllowed)
    }
    return item
  }
}
