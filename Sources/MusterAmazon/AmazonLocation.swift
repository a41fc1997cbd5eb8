internal import Foundation
internal import MusterInterchange
public import MusterModel
public import MusterNode

/// Amazon Location for unmodified clients (API version 2020-11-19): trackers, positions, geofence
/// collections and geofences, as views of the operation's own state.
///
///     request ─▶ signature, or leave to send none ─▶ operation ─▶ rights ─▶ Call ─▶ answer
///                 403                                 400           403       400, 404, 409 …
///
/// | in the service | in the operation |
/// |---|---|
/// | geofence | a fence, signed by this node's device; its id is the fence's name |
/// | collection | the collection that fences name; `fences` has all others |
/// | device | a person or a tracker; only this node's own trackers are written |
/// | tracker | a view of all devices; its settings and associations are those of this node |
///
/// It knows no HTTP server: a listener passes requests and decides whether unsigned ones may come.
public struct AmazonLocation: Sendable {
  private let node: Node
  private let keys: AccessKeyFile
  private let operations: Operations

  /// Reads the settings of this node. Throws if their file is damaged.
  ///
  /// - Parameter folder: the home, whose lock MUST be held.
  public init(node: Node, folder: String) async throws {
    self.node = node
    keys = AccessKeyFile(in: folder)
    operations = Operations(
      node: node, store: try ResourceStore(in: folder), catalogue: GeofenceCatalogue(of: node),
      operation: try await node.operation())
  }

  /// Whether a path belongs to the service.
  public static func owns(_ path: String) -> Bool { Operation.owns(path) }

  /// Who sends a request.
  private struct Caller {
    let name: String
    let rights: AccessKey.Rights
  }

  /// Answers a request, also one that is wrong in any respect.
  ///
  /// - Parameters:
  ///   - mayBeUnsigned: whether an unsigned request counts as one of the node's own user.
  ///   - now: this device's wall clock.
  public func answer(
    _ request: AmazonRequest, mayBeUnsigned: Bool, now: Timestamp
  ) async -> AmazonResponse {
    var audit: AmazonResponse.AuditEntry?
    do throws(ServiceFault) {
      let caller = try await caller(of: request, mayBeUnsigned: mayBeUnsigned, now: now)
      let (operation, names) = try Operation.find(method: request.method, path: request.path)
      if operation.needs > .observer {
        audit = AmazonResponse.AuditEntry(name: caller.name, what: operation.rawValue)
      }
      try await require(operation.needs, of: caller)
      let call = try Call(
        names: names, input: try Input(body: request.body), query: request.query, now: now)
      return Self.response(200, try await operations.perform(operation, call), audit: audit)
    } catch {
      return Self.response(error.status, error.document, type: error.type, audit: audit)
    }
  }

  private static func response(
    _ status: Int, _ json: JSON, type: String? = nil, audit: AmazonResponse.AuditEntry?
  ) -> AmazonResponse {
    var headers = ["x-amzn-requestid": UUID().uuidString.lowercased()]
    if let type { headers["x-amzn-errortype"] = type }
    return AmazonResponse(status: status, headers: headers, body: json.text, audit: audit)
  }

  /// Whether the body of a request is to be received.
  public enum Admission: Sendable {
    /// The id of the access key that the request names, whose signature is still to be verified;
    /// empty for an unsigned request that is accepted.
    case receive(sender: String)
    /// The request names no access key of this node.
    case refuse(AmazonResponse)
  }

  /// Decides by the headers of a request.
  public func admission(of request: AmazonRequest, mayBeUnsigned: Bool) -> Admission {
    do throws(ServiceFault) {
      return .receive(sender: try claim(in: request, mayBeUnsigned: mayBeUnsigned)?.1.id ?? "")
    } catch {
      return .refuse(Self.response(error.status, error.document, type: error.type, audit: nil))
    }
  }

  /// The answer while too many requests are being received.
  public static var tooMany: AmazonResponse {
    let fault = ServiceFault(.throttled, "too many requests at once: try again")
    return response(fault.status, fault.document, type: fault.type, audit: nil)
  }

  /// The answer to a request whose body has more bytes than a listener accepts.
  public static func tooLarge(most: Int) -> AmazonResponse {
    let fault = ServiceFault(
      .validation(.other), "a request has at most \(most) bytes: send less at once")
    return response(fault.status, fault.document, type: fault.type, audit: nil)
  }

  // MARK: Authorization

  private func caller(
    of request: AmazonRequest, mayBeUnsigned: Bool, now: Timestamp
  ) async throws(ServiceFault) -> Caller {
    guard let (signature, key) = try claim(in: request, mayBeUnsigned: mayBeUnsigned) else {
      return Caller(name: "unsigned", rights: .command)
    }
    try signature.verify(request, by: key.secret, now: now)
    try await requireActive(key.user)
    return Caller(name: "access key \(key.id)", rights: key.rights)
  }

  /// A key is as good as the membership of its user.
  private func requireActive(_ user: UserID) async throws(ServiceFault) {
    let isActive: Bool
    do {
      isActive = try await node.isActive(user)
    } catch {
      throw ServiceFault(refusing: error)
    }
    guard isActive else {
      throw ServiceFault(
        .unknownKey,
        "The security token included in the request is invalid: its user has signed off, or has "
          + "no device that is not revoked.")
    }
  }

  /// Returns the signature and the key that it names; nil for an unsigned request.
  private func claim(
    in request: AmazonRequest, mayBeUnsigned: Bool
  ) throws(ServiceFault) -> (SignatureV4, AccessKey)? {
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
  private func require(
    _ rights: AccessKey.Rights, of caller: Caller
  ) async throws(ServiceFault) {
    let role: Role
    do {
      role = try await node.role()
    } catch {
      throw ServiceFault(refusing: error)
    }
    let ofNode: AccessKey.Rights =
      switch role {
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
