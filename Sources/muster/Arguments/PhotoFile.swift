internal import MusterModel
internal import MusterNode

/// A picture that the user named, scaled and without metadata. The name decides nothing about it.
enum PhotoFile {
  /// Reads a picture by `muster-image`. Throws `Refusal` with the path for what is no picture.
  static func draft(of path: String, by intake: ImageIntake) async throws(Refusal) -> PhotoDraft {
    let bytes = try InputFile.bytes(of: path, limit: ImageIntake.mostBytes)
    do {
      return try await intake.read(bytes, zone: .current).draft
    } catch {
      throw Refusal("\(path): \(error)")
    }
  }
}

/// Pictures that were read. One that cannot be read keeps no other out.
struct PhotoReading {
  private(set) var drafts: [PhotoDraft] = []
  /// Why others cannot be read, each with its path.
  private(set) var failures: [String] = []
  let count: Int

  init(_ paths: [String]) async {
    count = paths.count
    let intake = ImageIntake()
    for path in paths {
      do throws(Refusal) {
        drafts.append(try await PhotoFile.draft(of: path, by: intake))
      } catch {
        failures.append("\(error)")
      }
    }
    await intake.stop()
  }

  /// Where the first picture with a position was taken.
  var position: Coordinate? { drafts.lazy.compactMap(\.position).first }
}

/// Adds pictures to a report, one after the other. One that cannot be added keeps no other out.
struct PhotoAdding {
  private(set) var added: [PhotoID] = []
  private var failures: [String]
  /// Where the first picture with a position was taken.
  let position: Coordinate?
  private let count: Int

  init(_ reading: PhotoReading, to report: RowID, by connection: NodeConnection) async throws {
    (count, failures, position) = (reading.count, reading.failures, reading.position)
    for draft in reading.drafts {
      do {
        guard
          case .photoAdded(let photo) = try await connection.ask(.addPhoto(draft, to: "\(report)"))
        else { throw Refusal.unexpectedReply }
        added.append(photo)
      } catch let refusal as Refusal {
        failures.append("\(refusal)")
      }
    }
  }

  /// `1 photo`; nil if none was added.
  var text: String? {
    added.isEmpty ? nil : ValueText.count(added.count, "photo", "photos")
  }

  /// Throws `Refusal` if a picture was not added.
  ///
  /// - Parameters:
  ///   - outcome: what was done without it.
  ///   - remedy: how to add it later; empty if that is the same command again.
  func check(_ outcome: String, remedy: String = "") throws(Refusal) {
    guard let first = failures.first else { return }
    let which = count == 1 ? "the photo" : "\(failures.count) of \(count) photos"
    let rest = failures.count == 1 ? "" : " (and \(failures.count - 1) more)"
    throw Refusal("\(outcome) without \(which): \(first)\(rest)\(remedy)")
  }
}
