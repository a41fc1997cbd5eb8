internal import Foundation

/// Where a node lives on this computer.
///
///     HOME/data/muster.sqlite      what the node knows
///     HOME/run/lock, muster.sock   who is using it, and the way to reach that node
///     HOME/keys/                   its secrets, unless they are kept elsewhere
///     STATE/                       sentinels and holdings, outside the home: a copy of the home
///                                  must not carry its sentinel along, nor damage what is held
///
/// Only names: nothing is on disk before `create()`.
public struct NodeHome: Hashable, Sendable {
  /// Absolute, without a slash at its end; so are all the others.
  public let path: String
  /// Where the key files are.
  public let keysDirectory: String
  /// Where each device's sentinel is kept.
  public let stateDirectory: String

  /// The file whose presence says that a device was enrolled from here.
  public static let deviceKeyName = "device.key"

  /// Finds a home by its flags, then by the environment, then where the XDG Base Directory
  /// Specification (0.8) has a user's data and state. An empty variable counts as none.
  ///
  /// - Parameters:
  ///   - home: `--home`; else `MUSTER_HOME`, else `muster` in the user's data folder.
  ///   - keys: `--keys`; else `MUSTER_KEYS`, else `keys` in the home.
  ///   - environment: read for those two, `MUSTER_STATE`, `XDG_DATA_HOME`, `XDG_STATE_HOME` and
  ///     `HOME`.
  public static func locate(
    home: String?, keys: String?, environment: [String: String]
  ) -> NodeHome {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    func userFolder(_ name: String, otherwise fallback: String) -> String {
      // The specification has relative paths ignored.
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

  /// Where the database and the blobs are.
  public var dataDirectory: String { path + "/data" }
  /// The database.
  public var databasePath: String { dataDirectory + "/muster.sqlite" }
  /// Where the lock and the socket of a running node are.
  public var runDirectory: String { path + "/run" }
  /// The control socket of a running node.
  public var socketPath: String { runDirectory + "/muster.sock" }
  /// The secrets of this node.
  public var keys: KeyFolder { KeyFolder(path: keysDirectory) }

  /// Whether a device was enrolled here.
  public var exists: Bool { keys.contains(Self.deviceKeyName) }

  /// Makes the folders of the home with mode 0700 where they are missing, and refuses those that
  /// cannot be used or that others can get at.
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

  /// Absolute for the process's life, even if it goes to another folder. Links and `..` are left
  /// to the system, which alone knows where they lead.
  private static func absolute(_ path: String) -> String {
    let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    return "/" + path.split(separator: "/").joined(separator: "/")
  }
}
