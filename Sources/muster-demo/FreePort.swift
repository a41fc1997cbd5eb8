internal import NIOCore
internal import NIOPosix

/// Finds a free TCP port of this machine.
enum FreePort {
  /// Returns the preferred port or, if it is in use, one that the system selects.
  static func find(preferred: Int) async throws -> Int {
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    let channel: any Channel
    do {
      channel = try await bootstrap.bind(host: "127.0.0.1", port: preferred).get()
    } catch {
      channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
    }
    let port = channel.localAddress?.port ?? preferred
    try await channel.close()
    return port
  }
}
