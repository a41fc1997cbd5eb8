public import NIOCore
internal import NIOPosix

/// The threads of connections from other machines.
///
/// They are apart from those of datagrams and of this machine's own programs, which do not wait
/// behind the TLS handshakes of others, and they leave one processor to these.
public enum RemoteThreads {
  /// Runs as long as the process.
  public static let group: any EventLoopGroup = MultiThreadedEventLoopGroup(
    numberOfThreads: max(1, System.coreCount - 1))
}
