internal import Foundation

/// Why a node's home, keys or sentinel cannot be used. Nothing was changed except what the message
/// names.
public enum HomeError: Error, Hashable, Sendable {
  /// The path of a folder is not a folder.
  case notAFolder(String)
  /// The path of a plain file is a link, a device or a folder.
  case notAFile(String)
  /// Other users can read or change the node's private files.
  case exposed(String, Remedy)
  /// Another user owns a folder or a file of the node, and so decides what is in it.
  case foreign(String, owner: UInt32)
  /// A key file that should be created already exists.
  case occupied(String)
  /// A key file that should be read does not exist.
  case missing(String)
  /// There is a database without its key.
  case keyless(home: String, keys: String)
  /// A key file is larger than `KeyFolder.largestFileBytes`.
  case oversized(String)
  /// Another process, or another part of this one, holds the home's lock; with its process id if
  /// the lock file contains it.
  case inUse(home: String, pid: Int32?)
  /// The path of the control socket exceeds the system's limit in bytes.
  case longSocketPath(String, limit: Int)
  /// A system call failed; the code is its `errno`.
  case system(Attempt, path: String, code: Int32)

  /// The command that removes other users' access to a path.
  public enum Remedy: String, Hashable, Sendable {
    case privateFile = "chmod 600"
    case privateFolder = "chmod 700"
    case unwritableByOthers = "chmod go-w"
  }

  /// The operation that failed.
  public enum Attempt: String, Hashable, Sendable {
    case use, make, read, write, lock
  }
}

extension HomeError: CustomStringConvertible {
  /// One line for the user: what failed and what to do.
  public var description: String {
    switch self {
    case .notAFolder(let path):
      "\(path) is not a folder: move it away, or choose another --home or --keys"
    case .notAFile(let path):
      "\(path) is not a plain file: put the file itself there, not a link"
    case .exposed(let path, let remedy):
      "others can access \(path): run `\(remedy.rawValue) \(Self.quoted(path))`, then try again"
    case .foreign(let path, let owner):
      "another user (id \(owner)) owns \(path): run this as that user (`sudo -u '#\(owner)'`), "
        + "or, if it is yours, `chown` it"
    case .occupied(let path):
      "this home already belongs to an operation (\(path) is there): choose another --home"
    case .missing(let path):
      "there is no key file \(path): run `muster init` or `muster join` first, or give --keys"
    case .keyless(let home, let keys):
      "\(home) holds an operation's data, but \(keys) lacks its key: give the right --keys, "
        + "or choose another --home"
    case .oversized(let path):
      "\(path) is too large for a key file: replace it with the right file"
    case .inUse(let home, let pid):
      "another muster\(pid.map { " (pid \($0))" } ?? "") is using \(home): "
        + "stop it, or choose another --home"
    case .longSocketPath(let path, let limit):
      "the path \(path) is longer than \(limit) bytes: choose a --home with a shorter path"
    case .system(let attempt, let path, let code):
      "cannot \(attempt.rawValue) \(path) (\(String(cString: strerror(code)))): "
        + Self.advice(attempt, code)
    }
  }

  private static func advice(_ attempt: Attempt, _ code: Int32) -> String {
    switch code {
    case EACCES, EPERM, EROFS: "check its owner and permissions, or choose another --home"
    case ENOSPC, EDQUOT: "free some space, then try again"
    case ENAMETOOLONG: "choose a --home with a shorter path"
    case EMFILE, ENFILE: "close other programs, or raise the limit of open files"
    default: attempt == .lock ? "choose a --home on a local disk" : "check the disk"
    }
  }

  /// Quotes a text as one word of a shell command.
  private static func quoted(_ path: String) -> String {
    let plain = path.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0) || "/._-+@".unicodeScalars.contains($0)
    }
    return plain ? path : "'" + path.replacingOccurrences(of: "'", with: "'\\''") + "'"
  }
}
