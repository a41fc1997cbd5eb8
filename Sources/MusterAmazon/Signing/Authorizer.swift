internal import MusterModel
internal import MusterNode

/// Who sends a request.
struct Caller: Sendable {
  /// For the audit log.
  let name: String
  let rights: AccessKey.Rights
  /// The user that the access key belongs to; the node's own for an unsigned request.
  let user: UserID
}

/// Authenticates the senders of requests by access keys.
struct Authorizer: Sendable {
  let node: Node
  let keys: AccessKeyFile

  /// Verifies the signature of a request. Throws unless its key belongs to an active user.
  func caller(
    of request: AmazonRequest, to service: AmazonService, mayBeUnsigned: Bool, now: Timestamp
  ) async throws(ServiceFault) -> Caller {
    guard let (signature, key) = try claim(in: request, mayBeUnsigned: mayBeUnsigned) else {
      let user = try await asking { try await $0.user() }
      return Caller(name: "unsigned", rights: .command, user: user)
    }
    try signature.verify(request, to: service.signingName, by: key.secret, now: now)
    try await requireInForce(key)
    return Caller(name: "access key \(key.id)", rights: key.rights, user: key.user)
  }

  private func asking<Answer>(
    _ question: (Node) async throws -> Answer
  ) async throws(ServiceFault) -> Answer {
    do {
      return try await question(node)
    } catch {
      throw ServiceFault(refusing: error)
    }
  }

  /// A key is as good as the membership of its user, and ends with a device of theirs: a program
  /// on it may know the secret.
  private func requireInForce(_ key: AccessKey) async throws(ServiceFault) {
    guard try await asking({ try await $0.isActive(key.user) }) else {
      throw ServiceFault(
        .unknownKey,
        "The security token included in the request is invalid: its user has signed off, or has "
          + "no device that is not revoked.")
    }
    let revoked = try await asking { try await $0.withdrawals(of: key.user).revokedDevices }
    guard revoked <= key.revokedDevices else {
      throw ServiceFault(
        .unknownKey,
        "The security token included in the request is invalid: a device of its user was revoked "
          + "after it was created. Create another: muster access-key create")
    }
  }

  /// Returns the signature and the key that it names; nil for an unsigned request.
  func claim(
    in request: AmazonRequest, mayBeUnsigned: Bool
  ) throws(ServiceFault) -> (signature: SignatureV4, key: AccessKey)? {
    guard let header = request.value(of: "authorization") else {
      guard mayBeUnsigned, request.values(of: "authorization").isEmpty else {
        throw ServiceFault(.missingToken, "Missing Authentication Token")
      }
      return nil
    }
    let signature = try SignatureV4(header)
    let key: AccessKey?
    do {
      key = try keys.read().first { $0.id == signature.keyID }
    } catch {
      // The reason has paths of this machine, and the client is not authenticated.
      throw ServiceFault(
        .unavailable,
        "the access keys of this node cannot be read: `muster access-key list` shows the reason")
    }
    guard let key else {
      throw ServiceFault(
        .unknownKey, "The security token included in the request is invalid.")
    }
    return (signature, key)
  }

  /// The lesser of the caller's rights and those of the node's device count.
  func require(
    _ rights: AccessKey.Rights, of caller: Caller
  ) async throws(ServiceFault) {
    let ofNode: AccessKey.Rights =
      switch try await asking({ try await $0.role() }) {
      case .command: .command
      case .member: .member
      default: .observer
      }
    guard rights <= min(caller.rights, ofNode) else {
      let holder = rights <= caller.rights ? "this node has" : "the caller has"
      throw ServiceFault(
        .accessDenied, "this needs \(rights.rawValue) rights, and \(holder) fewer")
    }
  }
}
