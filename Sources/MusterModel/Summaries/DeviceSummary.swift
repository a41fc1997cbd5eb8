/// An enrolled device, as its certificate says.
public struct DeviceSummary: Hashable, Sendable {
  public var id: DeviceID
  public var user: UserID
  public var callsign: String
  public var role: Role
  /// Certificates between it and the root.
  public var rank: Int
  public var isThisDevice: Bool

  public init(
    id: DeviceID, user: UserID, callsign: String, role: Role, rank: Int, isThisDevice: Bool
  ) {
    self.id = id
    self.user = user
    self.callsign = callsign
    self.role = role
    self.rank = rank
    self.isThisDevice = isThisDevice
  }
}
