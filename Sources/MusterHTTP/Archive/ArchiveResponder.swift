internal import Hummingbird
internal import Logging
internal import MusterCrypto
internal import MusterInterchange

/// Authorizes the requests to an archive by access tokens, and answers them.
///
///     request ─▶ own host and page ─▶ token ─▶ share ─▶ RouteTable ─▶ answer
///                403                  401      429      404, 405, 400
struct ArchiveResponder: HTTPResponder {
  typealias Context = ListenerContext

  private let archive: any OperationArchive
  private let isSecure: Bool
  private let logger: Logger
  private let shares: AgencyShares
  private let table = RouteTable(
    ArchiveRoutes.all,
    about: "Read the operations of a shared archive. Nothing can be written over HTTP.",
    documentRights: .archive)

  /// Requests of one agency of which the answer is not sent yet.
  private static let mostOpen = 32

  /// - Parameter share: how many requests of one agency query the archive at a time.
  init(archive: any OperationArchive, share: Int, isSecure: Bool, logger: Logger) {
    (self.archive, self.isSecure, self.logger) = (archive, isSecure, logger)
    shares = AgencyShares(running: share, open: Self.mostOpen)
  }

  func respond(to request: Request, context: Context) async -> Response {
    var agency = "-"
    var place: AgencyShares.Place?
    let answer = await Answer.orProblem {
      do {
        let match = Result { () throws(Problem) in try table.find(request) }
        let reader = try await reader(of: request, for: match)
        agency = reader.agency
        guard let own = shares.place(for: agency) else {
          throw Problem(
            .tooManyRequests,
            "\(Self.mostOpen) requests of this agency are not finished: wait for their answers")
        }
        place = own
        return try await shares.perform(at: own) {
          try await result(of: request, match.get(), context, for: reader)
        }
      } catch let problem as Problem {
        throw problem
      } catch is ArchiveTimeout {
        throw Problem(
          .serviceUnavailable,
          "the query takes too long: ask for a smaller area, a shorter time or fewer results")
      } catch {
        // It names the database, which is not the client's business.
        logger.error("\(error)")
        throw Problem(.serviceUnavailable, "the archive cannot answer now: see its log")
      }
    }
    // A query has words that an agency searched for, and other programs may put a token there.
    logger.info(
      """
      \(answer.status.code) \(agency) \(context.client) \(request.method.rawValue) \
      \(request.uri.path.prefix(300))
      """)
    var response = (place.map { answer.sent(holding: $0) } ?? answer).response
    if place != nil { Connection(channel: context.channel).renew(after: response) }
    if answer.status == .unauthorized {
      response.headers[.wwwAuthenticate] = "Bearer realm=\"muster-archive\""
    }
    if isSecure { response.headers[.strictTransportSecurity] = "max-age=31536000" }
    return response.fitting(request)
  }

  private func result(
    of request: Request, _ match: RouteMatch<ArchiveAPI>, _ context: Context,
    for reader: ArchiveReader
  ) async throws -> Answer {
    let admitted = try match.admitted(match.rights.extents[.stranger] == nil ? .agency : .stranger)
    let (call, _) = try await table.call(
      request, admitted, connection: Connection(channel: context.channel), isSecure: isSecure)
    return try await admitted.handle(
      ArchiveAPI(archive: archive, reader: reader, bounds: .standard), call)
  }

  /// Whether no page of another site sent the request.
  private func isOwn(_ request: Request) -> Bool {
    if isSecure { return LoginEndpoint.isOwnPage(request) }
    return AccessRule(.trusted).isFromHere(
      AccessRule.Headers(
        host: request.head.authority, origin: request.headers[.origin],
        fetchSite: request.value(of: "sec-fetch-site")))
  }

  /// Returns the holder of the request's token. Probes need none, and can read nothing. Throws a
  /// problem for pages of other sites.
  private func reader(
    of request: Request, for match: Result<RouteMatch<ArchiveAPI>, Problem>
  ) async throws -> ArchiveReader {
    guard isOwn(request) else {
      throw Problem(
        .forbidden,
        "the archive answers to its own address only, and not to pages of other sites")
    }
    if case .success(let found) = match, found.rights.extents[.stranger] != nil {
      return ArchiveReader(agency: "-", operations: [])
    }
    guard let token = request.headers[.authorization].flatMap(Self.token),
      let reader = try await archive.reader(
        withTokenHash: Blake2b.hash256(Array(token.utf8)).bytes)
    else {
      throw Problem(
        .unauthorized,
        "the token is missing, unknown or revoked: send `Authorization: Bearer TOKEN` with one of "
          + "`muster-archive token create`")
    }
    return reader
  }

  /// The token of a program, or the password of a map program.
  private static func token(_ header: String) -> String? {
    let parts = header.split(separator: " ", maxSplits: 1)
    if parts.count == 2, parts[0].lowercased() == "bearer" { return String(parts[1]) }
    return BasicPassword(header)?.text
  }
}
