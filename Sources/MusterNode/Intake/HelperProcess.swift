internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A running helper and the socket to it, which is both its input and its output. It ends when the
/// socket is closed. The owner MUST call `end` once, which also collects the process.
struct HelperProcess {
  let pid: pid_t
  private let socket: Int32

  private static let pieceBytes = 256 << 10

  enum Failure: Error {
    case timedOut
    case ended
  }

  /// Starts a program. Returns nil if the system does not start it.
  ///
  /// - Parameter file: a descriptor that becomes its input; the socket is then its output only by
  ///   name, and carries both ways.
  static func start(
    _ program: String, environment: [String: String], file: Int32? = nil
  ) -> HelperProcess? {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, socketType, 0, &ends) == 0 else { return nil }
    defer { close(ends[1]) }
    guard closeOnExec(ends), let pid = spawn(program, environment, input: file ?? ends[1], ends[1])
    else {
      close(ends[0])
      return nil
    }
    return HelperProcess(pid: pid, socket: ends[0])
  }

  /// Sends all bytes.
  func sendAll(_ bytes: [UInt8], until deadline: ContinuousClock.Instant) throws(Failure) {
    var sent = 0
    while sent < bytes.count {
      try wait(for: Int16(POLLOUT), until: deadline)
      let count = bytes.withUnsafeBytes { buffer in
        send(
          socket, buffer.baseAddress?.advanced(by: sent), buffer.count - sent, Self.sendFlags)
      }
      if count > 0 {
        sent += count
      } else if errno != EINTR, errno != EAGAIN {
        throw .ended
      }
    }
  }

  /// Receives exactly `count` bytes.
  func receive(
    _ count: Int, until deadline: ContinuousClock.Instant
  ) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      bytes += try receiveSome(atMost: count - bytes.count, until: deadline)
    }
    return bytes
  }

  /// Receives what is there, at least one byte.
  func receiveSome(
    atMost most: Int, until deadline: ContinuousClock.Instant
  ) throws(Failure) -> [UInt8] {
    while true {
      try wait(for: Int16(POLLIN), until: deadline)
      var got = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: min(most, Self.pieceBytes)) {
        got = recv(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        $1 = max(0, got)
      }
      if got > 0 { return bytes }
      if got == 0 || (errno != EINTR && errno != EAGAIN) { throw .ended }
    }
  }

  /// Whether the helper closed its end, as it does when it was idle.
  var hasEnded: Bool {
    var byte: UInt8 = 0
    let got = recv(socket, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK))
    return got >= 0 || (errno != EAGAIN && errno != EINTR)
  }

  /// Kills the process and waits for it. Returns its exit status; nil if a signal ended it.
  @discardableResult
  func end(killing: Bool = true) -> Int32? {
    close(socket)
    if killing { kill(pid, SIGKILL) }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 { guard errno == EINTR else { return nil } }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
  }

  private func wait(
    for event: Int16, until deadline: ContinuousClock.Instant
  ) throws(Failure) {
    while true {
      let left = deadline - ContinuousClock.now
      guard left > .zero else { throw .timedOut }
      var entry = pollfd(fd: socket, events: event, revents: 0)
      let milliseconds = left.components.seconds * 1000 + 1000
      let ready = poll(&entry, 1, Int32(min(milliseconds, 60_000)))
      if ready > 0 { return }
      guard ready == 0 || errno == EINTR else { throw .ended }
    }
  }

  private static func spawn(
    _ program: String, _ environment: [String: String], input: Int32, _ socket: Int32
  ) -> pid_t? {
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, socket, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
    var variables = environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") }
    variables.append(nil)
    defer { for text in words + variables { free(text) } }
    var pid: pid_t = 0
    return posix_spawn(&pid, program, &actions, nil, &words, &variables) == 0 ? pid : nil
  }

  private static func closeOnExec(_ descriptors: [Int32]) -> Bool {
    descriptors.allSatisfy { fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }
  }

  #if canImport(Glibc)
    private static let socketType = Int32(SOCK_STREAM.rawValue)
    private static let sendFlags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
  #else
    private static let socketType = SOCK_STREAM
    private static let sendFlags = Int32(MSG_DONTWAIT)
  #endif
}
