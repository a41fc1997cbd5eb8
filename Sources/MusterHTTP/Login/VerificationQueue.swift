internal import Dispatch

/// Verifies passphrases one after the other, on a separate queue.
final class VerificationQueue: Sendable {
  private let queue = DispatchQueue(label: "muster.logins")
  private let most: Int
  private let reserved: Int
  private let waiting = Waiting()

  init(most: Int, reserved: Int) {
    self.most = most
    self.reserved = reserved
  }

  /// Takes the same time for an unknown name.
  func judge(_ login: Login?, _ passphrase: [UInt8], isKnown: Bool) async throws -> Bool {
    try await run(upTo: isKnown ? most : most - reserved) {
      guard let login else {
        _ = try Login(name: "", rights: .observer, passphrase: passphrase, cost: .interactive)
        return false
      }
      return try login.accepts(passphrase)
    }
  }

  /// Returns a login with a new passphrase, for a client that has a valid code.
  func derive(_ work: @escaping @Sendable () throws -> Login) async throws -> Login {
    try await run(upTo: most, work)
  }

  private func run<Result: Sendable>(
    upTo limit: Int, _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    guard waiting.enter(upTo: limit) else {
      throw Problem("too many logins at once: try again in a few seconds", waiting: .seconds(1))
    }
    defer { waiting.leave() }
    return try await withCheckedThrowingContinuation { done in
      queue.async { done.resume(with: Swift.Result { try work() }) }
    }
  }
}
