internal import Foundation
internal import MusterModel
internal import MusterNode

/// The folders of a node, their permissions, and their disk.
struct HomeCheck {
  let home: NodeHome

  func findings() -> [Finding] { [permissions, stateFolder, disk] }

  private var permissions: Finding {
    let faults = home.exposures()
    if let first = faults.first {
      let more = faults.count > 1 ? ", and \(faults.count - 1) more" : ""
      return .bad("permissions", "\(first)\(more)", "do that, then run `muster doctor` again")
    }
    guard home.exists else {
      return .doubtful(
        "permissions", "there is no node in \(home.path) yet",
        "run `muster init` or `muster join`")
    }
    return .good("permissions", "only this user can access \(home.path) and its keys")
  }

  // MARK: State folder

  private var stateFolder: Finding {
    let folder = home.stateDirectory
    if let problem = home.stateFolderProblem() {
      return .bad("state folder", problem, "do that, then run `muster doctor` again")
    }
    if Self.unfit(folder) == Self.inMemory {
      return .doubtful(
        "state folder", "\(folder) is on \(Self.inMemory)",
        "set MUSTER_STATE to a folder on a disk: each restart uses up a log")
    }
    return .good("state folder", folder)
  }

  // MARK: Disk

  private static let inMemory = "a RAM disk, which is empty after a restart"
  private static let leastMebibytes = Limits.leastFreeBytes >> 20
  private static let littleMebibytes: UInt64 = 1000

  private var disk: Finding {
    let folder = nearestFolder
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else {
      return .bad("disk", "\(folder): \(String(cString: strerror(errno)))", "check the disk")
    }
    let free = (UInt64(status.f_bavail) * UInt64(status.f_frsize)) >> 20
    let words = "\(free) MiB free"
    if status.f_flag & UInt(ST_RDONLY) != 0 {
      return .bad("disk", "\(folder) is read-only", "choose another --home")
    }
    if let kind = Self.unfit(folder) {
      return .bad("disk", "\(folder) is on \(kind)", "choose a --home on a disk of this laptop")
    }
    if free < Self.leastMebibytes { return .bad("disk", words, "free some space") }
    if free < Self.littleMebibytes { return .doubtful("disk", words, "free some space soon") }
    return .good("disk", words)
  }

  /// The home, or its nearest parent that exists.
  private var nearestFolder: String {
    var path = home.path
    while path != "/", !FileManager.default.fileExists(atPath: path) {
      path = (path as NSString).deletingLastPathComponent
    }
    return path
  }

  /// The kind of a file system with unreliable locks, modes or syncs; nil for any other, or if it
  /// is unknown.
  private static func unfit(_ path: String) -> String? {
    guard let data = FileManager.default.contents(atPath: "/proc/mounts"),
      let real = realpath(path, nil)
    else { return nil }
    defer { free(real) }
    let mounts = String(decoding: data, as: UTF8.self).split(separator: "\n")
    return unfit(String(cString: real), mounts: mounts.map { $0.split(separator: " ") })
  }

  /// The innermost mount of the path decides; of several at one place, the last.
  static func unfit(_ path: String, mounts: [[Substring]]) -> String? {
    let holding = mounts.filter { mount in
      guard mount.count > 2 else { return false }
      return mount[1] == "/" || path == mount[1] || path.hasPrefix(mount[1] + "/")
    }
    guard
      let mount = holding.enumerated().max(by: {
        ($0.element[1].count, $0.offset) < ($1.element[1].count, $1.offset)
      })
    else { return nil }
    switch mount.element[2] {
    case "nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs": return "a network disk"
    case "vfat", "exfat", "msdos": return "a file system without owners, as of a memory stick"
    case "tmpfs", "ramfs": return inMemory
    default: return nil
    }
  }
}
