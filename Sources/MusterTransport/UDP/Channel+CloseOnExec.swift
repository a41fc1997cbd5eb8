package import NIOCore

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension Channel {
  /// Closes the socket in each program that this process starts.
  ///
  /// A child process that inherited the socket would keep its port in use after this process has
  /// closed it. Call it on the event loop of the channel.
  package func closeOnExec() throws {
    try pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
  }
}
