internal import Foundation

/// Why a node's home, keys or sentinel cannot be used. Nothing was changed that the message does
/// not name.
public enum HomeError: Error, Hashable, Sendable {
  /// Something else stands where a folder belongs.
  case notAFolder(String)
  /// A link, a device or a folder stands where a plain file belongs.
  case notAFile(String)
  /// Others can read or change what is the node's alone.
  case exposed(String, Remedy)
  /// A key file that was to be made is there already.
  case occupied(String)
  /// A key file that was to be read is not there.
  case missing(String)
  /// There is a database, and no key to it.
  case keyless(home: String, keys: String)
  /// A key file is larger than `KeyFolder.largestFileBytes`.
  case oversized(String)
  /// Another process, or another part of this one, holds the home's lock; its process id where the
  /// lock file tells.
  case inUse(home: String, pid: Int32?)
  /// The path of the control socket is longer than the system takes, in bytes.
  case longSocketPath(String, limit: Int)
  /// The system refused; the code is its `errno`.
  case system(Attempt, path: String, code: Int32)

  /// What closes an exposed path to others.
  public enum Remedy: String, Hashable, Sendable {
    case privateFile = "chmod 600"
    case privateFolder = "chmod 700"
    case unwritableByOthers = "chmod go-w"
  }

  /// What was tried when the system refused.
  public enum Attempt: String, Hashable, Sendable {
    case use, make, read, write, lock
  }
}

extension HomeError: CustomStringConvertible {
  /// One line for the person at the keyboard: what is wrong and what to do.
  public var description: String {
    switch self {
    case .notAFolder(let path):
      "\(path) is not a folder: move it away, or choose another --home or --keys"
    case .notAFile(let path):
      "\(path) is not a plain file: put the file itself there, not a link"
    case .exposed(let path, let remedy):
      "others can get at \(path): run `\(remedy.rawValue) \(Self.quoted(path))`, then try again"
    case .occupied(let path):
      "this home already belongs to an operation (\(path) is there): choose another --home"
    case .missing(let path):
      "there is no key file \(path): run `muster init` or `muster join` first, or give --keys"
    case .keyless(let home, let keys):
      "\(home) holds an operation's data, but \(keys) no key to it: give the right --keys, "
        + "or choose another --home"
    case .oversized(let path):
      "\(path) is too large for a key file: put the right file there"
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

  /// For a shell to take as one word.
  private static func quoted(_ path: String) -> String {
    let plain = path.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0) || "/._-+@".unicodeScalars.contains($0)
    }
    return plain ? path : "'" + path.replacingOccurrences(of: "'", with: "'\\''") + "'"
  }
}
