internal import Hummingbird
internal import NIOCore

/// What a request on the command post's listener comes with.
struct ListenerContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// Whose requests count together; empty where the system does not tell.
  var client: String { channel.remoteAddress?.ipAddress ?? "" }
}
