public import MusterModel
public import MusterNode

/// Services of Amazon for unmodified clients, as views of the operation's own state: Amazon
/// Location and Cognito Sync.
///
///     request ─▶ signature, or leave to send none ─▶ operation ─▶ rights ─▶ Call ─▶ answer
///                 403                                 400, 404      403       400, 404, 409 …
///
/// It knows no HTTP server: a listener passes requests and decides whether unsigned ones may come.
public struct AmazonServices: Sendable {
  private let authorizer: Authorizer
  private let location: AmazonLocation
  private let sync: CognitoSync
  /// The devices that programs registered for notices of Cognito Sync.
  public let devices: SyncDevices

  /// Reads the settings of this node. Throws if their files are damaged.
  ///
  /// - Parameter folder: the home, whose lock MUST be held.
  public init(node: Node, folder: String) async throws {
    authorizer = Authorizer(node: node, keys: AccessKeyFile(in: folder))
    location = try await AmazonLocation(node: node, folder: folder)
    devices = try SyncDevices(in: folder)
    sync = CognitoSync(node: node, pool: try await node.operation(), devices: devices)
  }

  /// Whether a path belongs to a service.
  public static func owns(_ path: String) -> Bool { AmazonService(path) != nil }

  /// Answers a request, also one that is wrong in any respect.
  ///
  /// - Parameters:
  ///   - mayBeUnsigned: whether an unsigned request counts as one of the node's own user.
  ///   - now: this device's wall clock.
  public func answer(
    _ request: AmazonRequest, mayBeUnsigned: Bool, now: Timestamp
  ) async -> AmazonResponse {
    let service = AmazonService(request.path) ?? .location
    let caller: Caller
    do throws(ServiceFault) {
      caller = try await authorizer.caller(
        of: request, to: service, mayBeUnsigned: mayBeUnsigned, now: now)
    } catch {
      return service.response(to: error)
    }
    switch service {
    case .location: return await location.answer(request, of: caller, by: authorizer, now: now)
    case .cognitoSync: return await sync.answer(request, of: caller, now: now)
    }
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
      let claim = try authorizer.claim(in: request, mayBeUnsigned: mayBeUnsigned)
      return .receive(sender: claim?.key.id ?? "")
    } catch {
      return .refuse((AmazonService(request.path) ?? .location).response(to: error))
    }
  }

  /// Returns the answer while too many requests are being received.
  public static func tooMany(_ path: String) -> AmazonResponse {
    let fault = ServiceFault(.throttled, "too many requests at once: try again")
    return (AmazonService(path) ?? .location).response(to: fault)
  }

  /// Returns the answer to a request whose body has more bytes than a listener accepts.
  public static func tooLarge(_ path: String, most: Int) -> AmazonResponse {
    let fault = ServiceFault(
      .validation(.other), "a request has at most \(most) bytes: send less at once")
    return (AmazonService(path) ?? .location).response(to: fault)
  }
}
