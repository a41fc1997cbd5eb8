public import MusterModel
internal import MusterReplica

/// What a laptop is in an operation, once it is.
public struct Membership: Hashable, Sendable {
  public let operation: OperationID
  public let operationName: String
  public let device: DeviceID
  public let callsign: String
  public let role: Role

  init(_ credentials: Credentials, callsign: String) {
    operation = credentials.operation
    operationName = credentials.operationName
    device = credentials.device
    self.callsign = callsign
    role = credentials.role
  }
}
