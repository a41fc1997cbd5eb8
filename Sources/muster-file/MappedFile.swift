#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The bytes of an open file. They stay where they are until the process ends.
struct MappedFile {
  private static let pageBytes = 4096

  let start: UnsafeMutableRawPointer
  let count: Int

  /// Returns nil if it is no file with content.
  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size > 0,
      let mapped = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0),
      mapped != MAP_FAILED
    else { return nil }
    (start, count) = (mapped, Int(status.st_size))
  }

  /// Replaces a byte of the first page, in this process only.
  func replace(_ offset: Int, by byte: UInt8) {
    guard offset < min(count, Self.pageBytes),
      mprotect(start, Self.pageBytes, PROT_READ | PROT_WRITE) == 0
    else { return }
    start.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    mprotect(start, Self.pageBytes, PROT_READ)
  }
}
