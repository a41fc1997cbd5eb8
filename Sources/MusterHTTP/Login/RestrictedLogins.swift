internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import NIOCore
internal import Synchronization

/// What browsers do whose login has expired or was removed.
///
/// | login | call for help |
/// |---|---|
/// | expired | performed, with a mark in its note |
/// | removed | at most one open unverified call of each browser |
final class RestrictedLogins: Sendable {
  typealias Raise = @Sendable (UnverifiedCall) async throws -> Void

  /// A repeat of the open call within this time is not stored again.
  private static let repeatPause = Duration.seconds(10)
  private static let bodyBytes = RouteRights.safety.bodyBytes
  private static let longestNoteBytes = 1000

  private let raise: Raise
  /// When each token raised its call last.
  private let raised = Mutex<[String: ContinuousClock.Instant]>([:])

  init(raise: @escaping Raise) { self.raise = raise }

  /// Raises the call of a removed login, which the rights of its route admit. Throws a `Problem`
  /// for a cancellation.
  func raise(
    _ request: Request, by token: BrowserToken, from client: String, wall: Timestamp,
    now: ContinuousClock.Instant
  ) async throws -> Response {
    let body = try await Self.body(of: request)
    guard body["safety"]?.word == "help" else {
      throw Problem(
        .forbidden, "this login was removed: only command can end its call for help")
    }
    let isRepeat = raised.withLock { raised in
      raised = raised.filter { now - $0.value < Self.repeatPause }
      return raised[token.id] != nil
    }
    if isRepeat { return Answer(.noContent).response }
    let ago = request.value(of: RouteDescription.ageHeader).flatMap { Int64($0) } ?? 0
    let isAgePlausible = (0...Int64(Limits.spanSeconds)).contains(ago)
    let call = UnverifiedCall(
      credential: token.id, name: token.login, address: client,
      note: Self.note(body["note"]?.word), position: nil,
      madeAt: isAgePlausible ? Timestamp(milliseconds: wall.milliseconds - ago * 1000) : nil,
      cause: .removedLogin)
    do {
      try await raise(call)
    } catch {
      throw Problem(refusing: error)
    }
    raised.withLock { $0[token.id] = now }
    return Answer(.noContent).response
  }

  private static func note(_ words: String?) -> String {
    let stated = "[login removed]"
    guard let words, !words.isEmpty else { return stated }
    var kept = words
    while kept.utf8.count > longestNoteBytes { kept.removeLast() }
    return "\(stated) \(TextRule.paragraphs.fitting(kept))"
  }

  /// The members of a body of which only the call matters.
  private static func body(of request: Request) async throws -> [String: JSON] {
    do {
      let bytes = Array(buffer: try await request.body.collect(upTo: bodyBytes))
      return try RequestContent(salvaging: bytes, as: PersonRoutes.claimShape).json.members ?? [:]
    } catch {
      throw Problem(.badRequest, "the body must be JSON of at most \(bodyBytes) bytes")
    }
  }
}

extension Person {
  /// The mark in what an expired login reports.
  private static let mark = "[login expired]"

  /// A note with the mark of an expired login. Words that would be too long with it are shortened.
  func marking(_ note: String) -> String {
    guard hasExpired else { return note }
    guard !note.isEmpty else { return Self.mark }
    var words = note
    while !words.isEmpty {
      let marked = "\(Self.mark) \(words)"
      if TextRule.paragraphs.fault(in: marked) == nil { return marked }
      words.removeLast(min(words.count, 20))
    }
    return Self.mark
  }
}
