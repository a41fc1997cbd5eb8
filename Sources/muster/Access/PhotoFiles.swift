internal import Foundation
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The photos of an export: those that are complete here, read one at a time.
struct PhotoFiles {
  let connection: NodeConnection
  private(set) var found: [ExportedPhoto] = []
  private var incomplete = 0

  init(connection: NodeConnection) { self.connection = connection }

  /// Finds the photos of reports.
  mutating func find(in reports: [ReportSummary]) async throws {
    for report in reports where report.photoCount > 0 {
      for (index, photo) in try await connection.photos(of: report.id).enumerated() {
        if photo.original.isComplete {
          found.append(ExportedPhoto(photo, number: index + 1, of: report))
        } else {
          incomplete += 1
        }
      }
    }
  }

  /// What is left out; nil if nothing is.
  var remark: String? {
    guard incomplete > 0 else { return nil }
    let photos = ValueText.count(incomplete, "photo is", "photos are")
    return "\(photos) not complete here and left out: see muster report photo list"
  }

  /// Writes each photo to a folder, which is created.
  func write(toFolder path: String) async throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true)
    } catch {
      throw InputFile.refusal("create", path, error)
    }
    for photo in found {
      let bytes = try await connection.bytes(of: photo.id, .original, in: photo.report)
      try OutputFile.write(bytes, to: path + "/" + photo.fileName)
    }
  }

  /// Writes a KMZ archive, whole or not at all.
  func writeArchive(to path: String, beginningWith document: String) async throws {
    let partial = path + ".part"
    guard FileManager.default.createFile(atPath: partial, contents: nil),
      let file = FileHandle(forWritingAtPath: partial)
    else { throw InputFile.refusal("write", partial, errno) }
    do {
      var archive = ZipArchive()
      try add("doc.kml", Array(document.utf8), to: &archive, in: file)
      for photo in found {
        let name = OperationExport.photoFolder + "/" + photo.fileName
        let bytes = try await connection.bytes(of: photo.id, .original, in: photo.report)
        try add(name, bytes, to: &archive, in: file)
      }
      try file.write(contentsOf: Data(archive.end()))
      try file.close()
      guard rename(partial, path) == 0 else { throw InputFile.refusal("write", path, errno) }
    } catch {
      unlink(partial)
      throw error is Refusal ? error : InputFile.refusal("write", path, error)
    }
  }

  private func add(
    _ name: String, _ contents: [UInt8], to archive: inout ZipArchive, in file: FileHandle
  ) throws {
    guard let bytes = archive.add(name, contents) else {
      throw Refusal("a KMZ archive holds at most 4 GiB: use --photos FOLDER instead")
    }
    try file.write(contentsOf: Data(bytes))
  }
}
