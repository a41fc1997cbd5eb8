internal import MusterModel
internal import MusterNode

/// Whether this device still belongs to the operation.
struct DeviceCheck {
  let home: HomeOptions

  func findings() async throws -> [Finding] {
    guard home.folders.exists else { return [] }
    guard case .status(let status) = try await NodeConnection.open(home).ask(.status) else {
      throw Refusal.unexpectedReply
    }
    guard status.isRevoked else {
      return [.good("device", "belongs to \(status.operationName)")] + (try await council())
    }
    return [
      .bad(
        "device", "this device was revoked and cannot write",
        "ask command for an invite, and join again with another --home")
    ]
  }

  private func council() async throws -> [Finding] {
    guard case .councils(let councils) = try await NodeConnection.open(home).ask(.councils) else {
      throw Refusal.unexpectedReply
    }
    let disputed = councils.filter(\.counts).flatMap(\.cases).filter { !$0.isDecided }.map { open in
      Finding.doubtful(
        "council",
        "\(SafeText.line(open.callsign))'s device \(open.device.short) is disputed: votes by "
          + SafeText.line(open.voters.joined(separator: ", ")),
        "ask the other members of the council, then: muster council status")
    }
    let key = Founding.rootKeyPath(of: home.folders)
    guard councils.contains(where: \.counts), Founding.keepsRootKey(home.folders) else {
      return disputed
    }
    return disputed + [
      .doubtful(
        "root key", "\(key) is on this laptop: a thief of it could replace the council",
        "move it to a USB stick in a safe")
    ]
  }
}
