internal import Foundation

/// The paths of a node's files on this computer.
///
///     HOME/data/muster.sqlite      the database
///     HOME/run/lock, muster.sock   the lock, and the control socket of the running node
///     HOME/keys/                   the secret keys, unless --keys names another folder
///     STATE/                       sentinels and holdings, outside the home: a copy of the home
///                                  must not contain its sentinel, nor damage the holdings
///
/// This type only names paths: nothing exists on disk before `create()`.
public struct NodeHome: Hashable, Sendable {
  /// Absolute, without a slash at its end, like all other paths.
  public let path: String
  /// The folder of the key files.
  public let keysDirectory: String
  /// The folder of each device's sentinel.
  public let stateDirectory: String

  /// The file whose presence shows that a device was enrolled in this home.
  public static let deviceKeyName = "device.key"

  /// Finds a home by its flags, then by the environment, then by the XDG Base Directory
  /// Specification (0.8) for a user's data and state. An empty variable counts as unset.
  ///
  /// - Parameters:
  ///   - home: `--home`; else `MUSTER_HOME`, else `muster` in the user's data folder.
  ///   - keys: `--keys`; else `MUSTER_KEYS`, else `keys` in the home.
  ///   - environment: read for those two, `MUSTER_STATE`, `XDG_DATA_HOME`, `XDG_STATE_HOME` and
  ///     `HOME`.
  public static func locate(
    home: String?, keys: String?, environment: [String: String]
  ) -> NodeHome {
    func variable(_ name: String) -> String? { EnvironmentVariable.text(name, in: environment) }
    func userFolder(_ name: String, otherwise fallback: String) -> String {
      // The specification requires that relative paths are ignored.
      if let folder = variable(name), folder.hasPrefix("/") { return folder }
      return (variable("HOME") ?? NSHomeDirectory()) + "/" + fallback
    }
    let path = absolute(
      home ?? variable("MUSTER_HOME")
        ?? userFolder("XDG_DATA_HOME", otherwise: ".local/share") + "/muster")
    return NodeHome(
      path: path,
      keysDirectory: absolute(keys ?? variable("MUSTER_KEYS") ?? path + "/keys"),
      stateDirectory: absolute(
        variable("MUSTER_STATE")
          ?? userFolder("XDG_STATE_HOME", otherwise: ".local/state") + "/muster"))
  }

  /// The folder of the database and the blobs.
  public var dataDirectory: String { path + "/data" }
  /// The database file.
  public var databasePath: String { dataDirectory + "/muster.sqlite" }
  /// The folder of the lock and the socket of a running node.
  public var runDirectory: String { path + "/run" }
  /// The control socket of a running node.
  public var socketPath: String { runDirectory + "/muster.sock" }
  /// The secret keys of this node.
  public var keys: KeyFolder { KeyFolder(path: keysDirectory) }

  /// Whether a device was enrolled here.
  public var exists: Bool { keys.contains(Self.deviceKeyName) }

  /// Creates the missing folders of the home with mode 0700. Rejects folders that cannot be used or
  /// that other users can access.
  public func create() throws(HomeError) {
    let socketPathLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
    guard socketPath.utf8.count <= socketPathLimit else {
      throw .longSocketPath(socketPath, limit: socketPathLimit)
    }
    try Folder.prepare(path, .unwritableByOthers)
    for folder in [keysDirectory, dataDirectory, runDirectory] {
      try Folder.prepare(folder, .ownerOnly)
    }
  }

  /// Makes a path absolute, independent of later changes of the working directory. Links and `..`
  /// are left to the system, which resolves them.
  private static func absolute(_ path: String) -> String {
    let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    return "/" + path.split(separator: "/").joined(separator: "/")
  }
}
