internal import ArgumentParser
internal import Foundation
internal import MusterArchive
internal import MusterInterchange
internal import MusterModel

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Archive a bundle, or what a node holds.",
    discussion: """
      Example:  muster-archive import flood.bundle --home ~/archive-device

      Without a file, the data of the node of --home is archived, whether it runs or not. \
      Importing again stores nothing twice.
      """)

  @Argument(help: ArgumentHelp("A bundle of the operation of --home.", valueName: "file"))
  var file: String?

  @OptionGroup var database: DatabaseOptions
  @OptionGroup(title: "Device") var device: DeviceOptions
  @Flag(help: "Print JSON for programs.") var json = false

  func run() async throws {
    let passphrase = try device.passphrase()
    var (tally, isWhole) = (BundleTally(), true)
    if let file {
      guard let handle = FileHandle(forReadingAtPath: file) else {
        throw ArchiveFault("cannot read \(file): check the name and its permissions")
      }
      let archive = try database.open()
      (tally, isWhole) = try archive.importBundle(
        keysOf: device.folders, passphrase: passphrase
      ) { try handle.read(upToCount: 1 << 20).map(Array.init) ?? [] }
    } else {
      let post = try await ArchivePost(device.folders, passphrase: passphrase)
      let archive = try database.open()
      tally = try await archive.update(from: post)
    }
    Standard.print(json ? Self.json(tally, isWhole).text : Self.line(tally))
    try Self.expectSound(tally, isWhole: isWhole, of: file)
  }

  private static func line(_ tally: BundleTally) -> String {
    "Frames: \(tally.frames.new) new, \(tally.frames.known) archived before, "
      + "\(tally.frames.refusedInAll) rejected. Pieces of photos: \(tally.photoUnits.new) new"
  }

  private static func json(_ tally: BundleTally, _ isWhole: Bool) -> JSON {
    .object([
      "frames": .object([
        "new": .count(tally.frames.new), "known": .count(tally.frames.known),
        "refused": .count(tally.frames.refusedInAll),
      ]),
      "photoUnits": .object([
        "new": .count(tally.photoUnits.new), "known": .count(tally.photoUnits.known),
        "refused": .count(tally.photoUnits.refusedInAll),
      ]), "damagedPieces": .count(tally.damagedPieces), "whole": .bool(isWhole),
    ])
  }

  private static func expectSound(
    _ tally: BundleTally, isWhole: Bool, of file: String?
  ) throws {
    let source = file ?? "the node"
    if let (reason, count) = tally.frames.refused.min(by: { $0.key < $1.key }) {
      throw ArchiveFault(Self.rejection(reason, count, source))
    }
    guard tally.damagedPieces == 0, isWhole else {
      throw ArchiveFault(
        "\(source) is damaged or truncated: its intact parts are archived; create it again")
    }
  }

  static func rejection(_ reason: BundleRefusal, _ count: Int, _ source: String) -> String {
    let what = count == 1 ? "1 frame of \(source) is" : "\(count) frames of \(source) are"
    switch reason {
    case .forged:
      return "\(what) forged or damaged, and not archived: run `muster verify` on the device that "
        + "sent them; all others are archived"
    case .unknownAuthor:
      return "\(what) by a device whose certificate is unknown: import a newer bundle, or from a "
        + "command device; all others are archived"
    case .unattached:
      return "\(what) without the frames before: import a complete bundle; all others are archived"
    case .overLimit:
      return "\(what) over a limit of logs or branches: a device was cloned or forks its logs; "
        + "revoke it with `muster revoke`; all others are archived"
    }
  }
}

struct FollowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow",
    abstract: "Archive what a running node holds, and what arrives.",
    discussion: """
      Example:  muster-archive follow --home ~/.local/share/muster

      Runs beside `muster run`, as the same user. The node does not wait for it: while PostgreSQL \
      cannot be reached, it tries again, and continues where the archive ends.
      """)

  @Option(help: ArgumentHelp("Seconds between two rounds, 1 to 3600.", valueName: "seconds"))
  var every = 5

  @OptionGroup var database: DatabaseOptions
  @OptionGroup(title: "Device") var device: DeviceOptions

  func validate() throws {
    guard (1...3600).contains(every) else { throw ValidationError("--every must be 1 to 3600") }
  }

  func run() async throws {
    let passphrase = try device.passphrase()
    var archive: Archive?
    var failures = 0
    var complained = ""
    var refused: [BundleRefusal: Int] = [:]
    while true {
      var pause = every
      do {
        let opened = try archive ?? database.open()
        archive = opened
        let post = try await ArchivePost(
          device.folders, passphrase: passphrase, mustRun: true)
        let tally = try await opened.update(from: post)
        if failures > 0 { Standard.complain("archiving again") }
        (failures, complained) = (0, "")
        if tally.frames.new + tally.photoUnits.new > 0 {
          Standard.print(
            "archived \(tally.frames.new) frames, \(tally.photoUnits.new) pieces of photos")
        }
        // Rejected frames are sent in each round, and reported once.
        if refused != tally.frames.refused { report(tally.frames.refused) }
        refused = tally.frames.refused
      } catch let fault as ArchiveFault where fault.isTransient {
        archive = nil
        failures += 1
        pause = min(32, 1 << min(failures, 5))
        if complained != fault.description { Standard.complain("\(fault); trying again") }
        complained = fault.description
      }
      try await Task.sleep(for: .seconds(pause))
    }
  }

  private func report(_ refused: [BundleRefusal: Int]) {
    for (reason, count) in refused.sorted(by: { $0.key < $1.key }) {
      Standard.complain(ImportCommand.rejection(reason, count, "the node"))
    }
  }
}
