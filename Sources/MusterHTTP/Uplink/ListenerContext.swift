internal import Hummingbird
internal import NIOCore

/// The context of a request to the command post's listener.
struct ListenerContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// The address by which requests are throttled; empty if unknown.
  var client: String { channel.remoteAddress?.ipAddress ?? "" }
}
