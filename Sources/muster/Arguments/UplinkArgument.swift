internal import MusterTransport

/// `https://HOST:PORT` of a command post.
struct UplinkArgument: Hashable {
  let target: UplinkTarget

  @Sendable init(parsing text: String) throws(BadArgument) {
    do {
      target = try UplinkTarget(text)
    } catch {
      throw BadArgument("\(error)")
    }
  }

  /// The proxy of `--proxy`, for all command posts.
  static func proxy(_ text: String) throws(BadArgument) -> UplinkProxy {
    try proxy(text, except: "")
  }

  /// - Parameter exceptions: in the format of `NO_PROXY`.
  static func proxy(_ text: String, except exceptions: String) throws(BadArgument) -> UplinkProxy {
    do {
      return try UplinkProxy(text, except: exceptions)
    } catch {
      throw BadArgument("\(error)")
    }
  }
}
