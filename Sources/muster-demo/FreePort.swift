internal import NIOCore
internal import NIOPosix

/// A TCP port of this machine that nobody listens on.
enum FreePort {
  /// The one that is wished for, or where that is taken one that the system chooses.
  static func find(wished: Int) async throws -> Int {
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    let channel: any Channel
    do {
      channel = try await bootstrap.bind(host: "127.0.0.1", port: wished).get()
    } catch {
      channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
    }
    let port = channel.localAddress?.port ?? wished
    try await channel.close()
    return port
  }
}
