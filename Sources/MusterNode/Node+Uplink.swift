internal import MusterModel
public import MusterTransport

/// Command posts over HTTPS: to the replica each uplink is an address that comes and goes.
extension Node {
  /// Takes what an uplink brought.
  public func take(_ event: UplinkSwitch.Event) {
    switch event {
    case .opened(let endpoint, let calls):
      act { replica, now in try replica.uplinkOpened(endpoint, calls: calls, now: now) }
    case .closed(let endpoint):
      act { replica, now in try replica.uplinkClosed(endpoint, now: now) }
    case .datagrams(let batch): receive(batch)
    }
  }

  /// Tells everybody what this command post shows by TLS, unless that was said before.
  func nameUplink(_ certificate: [UInt8]) async {
    await untilPeersAnswered()
    act { replica, now in
      guard !replica.ownUplinkCertificates.contains(certificate) else { return .init() }
      return try replica.nameUplink(certificate: certificate, now: now)
    }
  }
}

extension OpenedHome {
  /// What this device shows by TLS as a command post. Made from its own key, so that it is the same
  /// at every start.
  public func uplinkIdentity() throws -> UplinkIdentity {
    guard credentials.role == .command else {
      throw NodeError.refused(
        "only a device with the role command is a command post: this one is "
          + "\(credentials.role.name)")
    }
    return try UplinkIdentity(
      seed: { credentials.uplinkSeed(attempt: $0) }, named: replica.ownUplinkCertificates)
  }
}
