internal import ArgumentParser
internal import Foundation
internal import MusterArchive
internal import MusterInterchange

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write an operation as a bundle, or for maps.",
    discussion: """
      Example:  muster-archive export flood.bundle --home ~/archive-device
                muster-archive export flood.gpkg --format gpkg --operation "River flood"

      With a bundle, a replaced laptop gets everything back: `muster bundle merge flood.bundle`. \
      The other formats contain what was projected, and need no device.
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case bundle, gpkg, geojson, kml, csv, gpx
  }

  @Argument(help: ArgumentHelp("The file to write; it must not exist.", valueName: "file"))
  var file: String

  @Option(help: "The output format.")
  var format = Format.bundle

  @Option(
    help: ArgumentHelp(
      "The operation, by name or first digits of its id; for a bundle that of --home.",
      valueName: "name"))
  var operation: String?

  @OptionGroup var database: DatabaseOptions
  @OptionGroup(title: "Device") var device: DeviceOptions

  func validate() throws {
    guard (format == .bundle) == (operation == nil) else {
      throw ValidationError(
        format == .bundle
          ? "a bundle is of the operation of --home: omit --operation"
          : "give --operation")
    }
  }

  func run() throws {
    let archive = try database.open()
    guard let operation else {
      return try write { handle in
        let frames = try archive.export(
          keysOf: device.folders, passphrase: try device.passphrase(), seed: Seed.drawn()
        ) { try handle.write(contentsOf: Data($0)) }
        return "\(frames) frames"
      }
    }
    let bytes = try contents(of: archive.projections.mapExport(of: operation))
    try write { handle in
      try handle.write(contentsOf: Data(bytes))
      return "\(bytes.count) bytes"
    }
  }

  private func contents(of export: OperationExport) throws -> [UInt8] {
    switch format {
    case .bundle, .gpkg: try export.geoPackage()
    case .geojson: Array(export.geoJSON().utf8)
    case .kml: Array(export.kml().utf8)
    case .csv: Array((OperationExport.byteOrderMark + export.csv()).utf8)
    case .gpx: Array(export.gpx().utf8)
    }
  }

  /// Writes the file whole, or not at all.
  ///
  /// - Parameter body: returns what it wrote, in words.
  private func write(_ body: (FileHandle) throws -> String) throws {
    let part = file + ".part"
    guard !FileManager.default.fileExists(atPath: file) else { throw unwritable }
    let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard descriptor >= 0 else { throw unwritable }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      let written = try body(handle)
      try handle.synchronize()
      guard rename(part, file) == 0 else {
        throw ArchiveFault("cannot write \(file): \(String(cString: strerror(errno)))")
      }
      Standard.print("Wrote \(file): \(written).")
    } catch {
      unlink(part)
      throw error
    }
  }

  private var unwritable: ArchiveFault {
    ArchiveFault("cannot write \(file): give the name of a file that does not exist yet")
  }
}
