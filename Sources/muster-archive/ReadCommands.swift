internal import ArgumentParser
internal import Foundation
internal import MusterArchive
internal import MusterInterchange
internal import MusterModel

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "List the archived operations and their posts.")

  @OptionGroup var database: DatabaseOptions
  @Flag(help: "Print JSON for programs.") var json = false

  func run() throws {
    let operations = try database.open().operations()
    if json { return Standard.print(JSON.array(operations.map(\.json)).text) }
    if operations.isEmpty { Standard.print("No operations: run `muster-archive import`.") }
    for operation in operations {
      Standard.print(
        "\(operation.name) (\(operation.id.short)): \(operation.frames) frames in "
          + "\(operation.logs) logs")
      if operation.forks > 0 {
        let forks = operation.forks == 1 ? "1 fork" : "\(operation.forks) forks"
        Standard.print(
          "  ALERT: \(forks): a device was cloned or restored from a backup; see "
            + "`muster device list`")
      }
      for post in operation.posts {
        Standard.print(
          "  post \(post.device.short): \(post.stored) frames first, \(post.offered) sent, "
            + "\(post.refused) rejected, last \(post.lastAt)")
      }
      if let hash = operation.stateHash { Standard.print("  projected, state \(hash)") }
    }
  }
}

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write an operation as a bundle that its devices can merge.",
    discussion: """
      Example:  muster-archive export flood.bundle --home ~/archive-device

      With it, a replaced laptop gets everything back: `muster bundle merge flood.bundle`.
      """)

  @Argument(help: ArgumentHelp("The bundle to write; it must not exist.", valueName: "file"))
  var file: String

  @OptionGroup var database: DatabaseOptions
  @OptionGroup(title: "Device") var device: DeviceOptions

  func run() throws {
    let archive = try database.open()
    let part = file + ".part"
    let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard descriptor >= 0, !FileManager.default.fileExists(atPath: file) else {
      throw ArchiveFault("cannot write \(file): give the name of a file that does not exist yet")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      let frames = try archive.export(
        keysOf: device.folders, passphrase: try device.passphrase(), seed: Seed.drawn()
      ) { try handle.write(contentsOf: Data($0)) }
      try handle.synchronize()
      guard rename(part, file) == 0 else {
        throw ArchiveFault("cannot write \(file): \(String(cString: strerror(errno)))")
      }
      Standard.print("Wrote \(file): \(frames) frames.")
    } catch {
      unlink(part)
      throw error
    }
  }
}
