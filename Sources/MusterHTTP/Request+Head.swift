internal import Hummingbird

extension Request {
  /// Why a program between the client and this listener may read the request differently; nil for a
  /// plain one. The connection MUST be closed after such a request: its end is not certain.
  var headFault: Problem? {
    // The first one is the authority of the request.
    guard value(of: "host") == nil else {
      return Problem(.badRequest, "a request has one Host header: send it once", at: "host")
    }
    let codings = headers.filter { $0.name.canonicalName == "transfer-encoding" }
      .map { $0.value.lowercased() }
    guard codings == [] || codings == ["chunked"] else {
      return Problem(
        .badRequest, "the only transfer coding is chunked: send Content-Length, or chunks",
        at: "transfer-encoding")
    }
    guard [[], ["identity"], ["gzip"], ["x-gzip"]].contains(contentCodings) else {
      return Problem(
        .unsupportedMediaType,
        "a body may be compressed by gzip only, not "
          + "'\(contentCodings.joined(separator: ", ").prefix(60))'", at: Self.contentCoding)
    }
    return nil
  }

  /// The header of `contentCodings`.
  static let contentCoding = "content-encoding"

  /// How the body is encoded, in lower case.
  var contentCodings: [String] {
    headers.filter { $0.name.canonicalName == Self.contentCoding }
      .flatMap { $0.value.lowercased().split(whereSeparator: { ", ".contains($0) }) }
      .map(String.init)
  }
}
