public import MusterModel
internal import MusterReplica

/// The membership of a device in an operation.
public struct Membership: Hashable, Sendable {
  /// A hash of the root key, which users compare with the commander's.
  public let operation: OperationID
  /// The name that the root's holder gave.
  public let operationName: String
  /// This device's id, as long as it keeps its key file.
  public let device: DeviceID
  /// The callsign at enrolment; it may be changed later.
  public let callsign: String
  /// Whether the person had a device before, and so a callsign.
  public let isFurtherDevice: Bool
  /// The role of the certificate.
  public let role: Role
  /// The addresses of the inviting device in the invite; empty after a join by file.
  public let inviters: [Endpoint]

  init(_ credentials: Credentials, callsign: String, inviters: [Endpoint] = []) {
    operation = credentials.operation
    operationName = credentials.operationName
    device = credentials.device
    self.callsign = callsign
    isFurtherDevice = !credentials.isFirstOfUser
    role = credentials.role
    self.inviters = inviters
  }
}
