internal import Hummingbird
internal import MusterModel

/// A request for the printed address `/?token=…`: it exchanges the token for a cookie and redirects
/// to the page without the token, so that neither history nor referrers contain it.
struct DashboardLink: Redacted {
  private let token: String

  /// Returns nil for any other request; trackers also request `/`, with a position.
  init?(_ request: Request) {
    guard request.uri.path == "/", request.method == .get, let query = request.uri.query,
      query.hasPrefix("token="), !query.contains("&")
    else { return nil }
    token = String(query.dropFirst("token=".count))
  }

  func answer(
    by rule: AccessRule, _ headers: AccessRule.Headers, of dashboard: Dashboard,
    to request: Request
  ) -> Response {
    guard rule.accepts(token) else { return dashboard.locked(request) }
    var response = Response(status: .seeOther)
    response.headers = [
      .location: "/", .cacheControl: "no-store", .referrerPolicy: "no-referrer",
      .xContentTypeOptions: "nosniff",
    ]
    if let cookie = rule.setCookie(headers) { response.headers[.setCookie] = cookie }
    return response
  }
}
