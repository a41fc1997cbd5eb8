internal import MusterNode

/// Whether this device still belongs to the operation.
struct DeviceCheck {
  let home: HomeOptions

  func findings() async throws -> [Finding] {
    guard home.folders.exists else { return [] }
    guard case .status(let status) = try await Door.open(home).ask(.status) else {
      throw Refusal.unexpectedReply
    }
    guard status.isRevoked else {
      return [.good("device", "belongs to \(status.operationName)")]
    }
    return [
      .bad(
        "device", "this device was revoked and cannot write",
        "ask command for an invite, and join again with another --home")
    ]
  }
}
