internal import Foundation
internal import Hummingbird

/// The headers of requests and answers.
extension LoginEndpoint {
  /// Whether the request comes from a page of this listener, or from no page.
  static func isOwnPage(_ request: Request) -> Bool {
    guard let host = request.head.authority else { return false }
    if let origin = request.headers[.origin], origin.lowercased() != "https://\(host.lowercased())"
    {
      return false
    }
    return request.value(of: "sec-fetch-site").map { ["none", "same-origin"].contains($0) } ?? true
  }

  /// A page may state whose request it is: in the meantime another page of the browser may have
  /// replaced the session.
  ///
  /// It states the `id` of `GET /api/v1/session`, or the name of the login.
  func check(_ request: Request, isOf name: String) async throws {
    guard let stated = request.value(of: "muster-login") else { return }
    guard try await stated == people.id(of: name) || stated.removingPercentEncoding == name else {
      throw Problem(.unauthorized, "another login is active in this browser: log in again")
    }
  }

  static func secret(in request: Request) -> String? {
    for header in request.headers[values: .cookie] {
      for pair in header.split(separator: ";") {
        let parts = pair.trimmingCharacters(in: .whitespaces).split(separator: "=", maxSplits: 1)
        if parts.count == 2, parts[0] == cookie, parts[1].utf8.count == 64 {
          return String(parts[1])
        }
      }
    }
    return nil
  }

  static func cookie(_ secret: String) -> String {
    "\(cookie)=\(secret); Max-Age=\(cookieSeconds); Path=/; Secure; HttpOnly; SameSite=Strict"
  }

  static func words(_ request: Request) -> String {
    "\(request.method.rawValue) \(request.uri.path)"
  }
}
