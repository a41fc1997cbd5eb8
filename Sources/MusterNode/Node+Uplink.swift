internal import MusterModel
public import MusterTransport

/// Command posts over HTTPS: to the replica, each uplink is a temporary address.
extension Node {
  /// Processes an event of an uplink.
  public func take(_ event: UplinkSwitch.Event) {
    switch event {
    case .opened(let endpoint, let calls):
      act { replica, now in try replica.uplinkOpened(endpoint, calls: calls, now: now) }
    case .closed(let endpoint):
      act { replica, now in try replica.uplinkClosed(endpoint, now: now) }
    case .datagrams(let batch): receive(batch)
    }
  }

  /// Publishes this command post's TLS certificate, unless it is already published.
  func nameUplink(_ certificate: [UInt8]) async {
    await untilPeersAnswered()
    act { replica, now in
      guard !replica.queries.ownUplinkCertificates.contains(certificate) else { return .init() }
      return try replica.nameUplink(certificate: certificate, now: now)
    }
  }
}

extension OpenedHome {
  /// Returns this device's TLS identity as a command post. It is derived from the device's key, so
  /// that it is the same at every start.
  public func uplinkIdentity() throws -> UplinkIdentity {
    guard credentials.role == .command else {
      throw NodeError.refused(
        "only a device with the role command is a command post: this one is "
          + "\(credentials.role.name)")
    }
    return try UplinkIdentity(
      seed: { credentials.uplinkSeed(attempt: $0) }, named: replica.queries.ownUplinkCertificates)
  }
}
