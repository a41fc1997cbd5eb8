internal import MusterModel
internal import Synchronization

/// The calls for help of logins by the clock of their phones: an OK that the user entered before a
/// call, and that a connection which broke delivers after it, does not cancel the call.
final class ClaimOrder: Sendable {
  /// How late such an OK may arrive. A phone's clock that is set back must not hold a call longer.
  private static let latestMilliseconds: Int64 = 600_000
  private static let most = 1024

  private let called = Mutex<[String: Int64]>([:])

  /// Records a call for help, and judges an OK. Throws for an OK before a call.
  ///
  /// - Parameter actedAt: when the user acted, in milliseconds by the phone's clock; nil if that is
  ///   not stated.
  func admit(_ claim: SafetyClaim, of login: String, actedAt: Int64?) throws(Problem) {
    guard let actedAt else { return }
    let isSuperseded = called.withLock { called -> Bool in
      if claim == .needsHelp {
        if called.count >= Self.most { called.removeAll() }
        called[login] = max(actedAt, called[login] ?? actedAt)
        return false
      }
      guard let call = called[login] else { return false }
      return actedAt < call && call - actedAt <= Self.latestMilliseconds
    }
    if isSuperseded { throw Problem(.unprocessableContent, "your later call for help counts") }
  }
}
