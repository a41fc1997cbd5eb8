internal import Hummingbird
internal import MusterInterchange

/// What the tracker apps of logins report, by secret paths. The secret names the login, whatever
/// the report does.
struct PhoneReports: Sendable {
  static let path = "/phone/"

  let people: LoginPeople
  /// With which phones encrypt messages of OwnTracks; nil without.
  let key: OwnTracksKey?

  func answer(_ request: Request) async throws -> Response {
    let parts = request.uri.path.dropFirst(Self.path.count).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let login = try people.logins.read().first { login in
      login.phoneSecret.map { AccessRule.isSame(String(parts[0]), $0) } ?? false
    }
    let current = try await people.reporter(login)
    guard
      let reporter = try current ?? people.logins.formerPhones.reporter(of: String(parts[0]))
    else {
      throw Problem(.unauthorized, "this address is not valid: copy it from the page again")
    }
    let responder = TrackerResponder(node: people.node, reporter: reporter, key: key)
    return try await responder.respond(
      to: request, as: .allowed(path: "/" + (parts.count == 2 ? parts[1] : "")))
  }
}
