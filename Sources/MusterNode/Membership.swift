public import MusterModel
internal import MusterReplica

/// What a laptop is in an operation, once it is.
public struct Membership: Hashable, Sendable {
  /// A hash of the root key, to be compared with what the commander reads out.
  public let operation: OperationID
  /// As the root's holder named it.
  public let operationName: String
  /// This laptop's, for as long as it keeps its key file.
  public let device: DeviceID
  /// As it was given at enrolment; it may be changed later.
  public let callsign: String
  /// What the certificate grants.
  public let role: Role
  /// Where the invite said that the inviting device may be found; none after a join by file.
  public let inviters: [Endpoint]

  init(_ credentials: Credentials, callsign: String, inviters: [Endpoint] = []) {
    operation = credentials.operation
    operationName = credentials.operationName
    device = credentials.device
    self.callsign = callsign
    role = credentials.role
    self.inviters = inviters
  }
}
