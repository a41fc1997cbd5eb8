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
  public func nameUplink(_ certificate: [UInt8]) async {
    await untilPeersAnswered()
    act { replica, now in
      guard !replica.queries.ownUplinkCertificates.contains(certificate) else { return .init() }
      return try replica.nameUplink(certificate: certificate, now: now)
    }
  }
}

extension OpenedHome {
  /// The file of the certificate for browsers, with its key.
  private static let browserFile = "browser.tls"

  /// Returns this device's TLS identity as a command post; nil if its role serves none. It is
  /// derived from the device's key, so that it is the same at every start.
  public func uplinkIdentity() throws -> UplinkIdentity? {
    guard credentials.role.servesUplinks else { return nil }
    return try UplinkIdentity(
      seed: { credentials.uplinkSeed(attempt: $0) }, named: replica.queries.ownUplinkCertificates)
  }

  /// Returns the TLS identity for browsers: the stored one, or a new one if that lacks a name, ends
  /// within a month or is damaged. Phones must trust a new one again.
  public func browserIdentity(for names: [BrowserName]) throws -> BrowserIdentity {
    let now = SystemClock.wall
    if home.keys.contains(Self.browserFile),
      let stored = BrowserIdentity(encoded: try home.keys.read(Self.browserFile)),
      stored.isUsable(for: names, now: now)
    {
      return stored
    }
    let created = try BrowserIdentity(names: names, now: now, random: systemSeed)
    try home.keys.replace(Self.browserFile, created.encoded)
    return created
  }
}
