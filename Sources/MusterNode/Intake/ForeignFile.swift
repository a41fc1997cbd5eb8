#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A file of a stranger that a helper reads.
public enum ForeignFile: Sendable {
  case path(String)
  case bytes([UInt8])

  /// Returns a descriptor for reading, which the caller closes. Bytes never are on a disk where the
  /// system permits it.
  func open() throws(Helper.Fault) -> Int32 {
    switch self {
    case .path(let path):
      let descriptor = path.withCString { Self.systemOpen($0) }
      guard descriptor >= 0 else { throw .unreadable }
      return descriptor
    case .bytes(let bytes):
      let descriptor = Self.temporary()
      guard descriptor >= 0 else { throw .unreadable }
      var written = 0
      while written < bytes.count {
        let count = bytes.withUnsafeBytes {
          write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
        }
        guard count > 0 || errno == EINTR else {
          close(descriptor)
          throw .unreadable
        }
        written += max(0, count)
      }
      return descriptor
    }
  }

  private static func systemOpen(_ path: UnsafePointer<CChar>) -> Int32 {
    #if canImport(Glibc)
      Glibc.open(path, O_RDONLY | O_CLOEXEC)
    #else
      Darwin.open(path, O_RDONLY | O_CLOEXEC)
    #endif
  }

  /// Returns the descriptor of a file without a name.
  private static func temporary() -> Int32 {
    #if canImport(Glibc)
      let name = "/muster-\(UInt64.random(in: 0 ... .max))"
      let descriptor = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      shm_unlink(name)
      return descriptor
    #else
      guard let file = tmpfile() else { return -1 }
      defer { fclose(file) }
      return fcntl(fileno(file), F_DUPFD_CLOEXEC, 0)
    #endif
  }
}

/// Why a helper did not read a file, or a part of it.
public struct ForeignFileFault: Error, Hashable, CustomStringConvertible {
  /// One line: the reason, and what to do if it is the helper.
  public let description: String

  init(_ description: String) { self.description = description }

  init(_ fault: Helper.Fault) {
    description =
      switch fault {
      case .missing(let path):
        "\(path) is missing, which reads such files: install Muster again"
      case .unreadable: "it cannot be opened"
      case .unusable:
        "muster-file, which reads such files, does not start: install Muster again"
      case .notConfined:
        "the system does not let muster-file, which reads such files, give up its rights (seccomp "
          + "on Linux): convert it into GeoJSON or PMTiles"
      case .timedOut:
        "it could not be read within 30 s: split it, or convert it into "
          + "GeoJSON or PMTiles"
      case .failed:
        "it could not be read, since muster-file stopped: it may be damaged, or made to do harm; "
          + "copy it again, or convert it into GeoJSON or PMTiles"
      }
  }
}
