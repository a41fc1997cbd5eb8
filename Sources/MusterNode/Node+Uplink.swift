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

/// The clients of a certificate.
public struct CertificateClients: OptionSet, Sendable {
  /// One bit for each kind.
  public let rawValue: UInt8

  /// Browsers and phones.
  public static let browsers = CertificateClients(rawValue: 1)
  /// Nodes that connect to this command post.
  public static let uplinks = CertificateClients(rawValue: 2)

  /// Creates a set of its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
}

extension OpenedHome {
  /// The file of the certificate for browsers, with its key.
  private static let browserFile = "browser.tls"

  /// The file that counts the renewals of the certificate for uplinks; missing before the first.
  private static let renewalsFile = "uplink.renewals"
  /// Keys that are tried for one certificate. The first one fails with a probability of 2^-32.
  private static let attemptsPerRenewal: UInt8 = 8
  /// More than a device can publish: a renewal that no start follows counts too.
  private static let mostRenewals = UInt8.max / attemptsPerRenewal

  /// Returns this device's TLS identity as a command post; nil if its role serves none. It is
  /// derived from the device's key and the number of renewals, so that it is the same at every
  /// start.
  public func uplinkIdentity() throws -> UplinkIdentity? {
    guard credentials.role.servesUplinks else { return nil }
    let first = try uplinkRenewals() * Self.attemptsPerRenewal
    return try UplinkIdentity(
      seed: { credentials.uplinkSeed(attempt: first + $0) },
      named: replica.queries.ownUplinkCertificates)
  }

  private func uplinkRenewals() throws -> UInt8 {
    guard home.keys.contains(Self.renewalsFile) else { return 0 }
    let text = String(decoding: try home.keys.read(Self.renewalsFile), as: UTF8.self)
    guard let count = UInt8(text), count <= Self.mostRenewals else {
      throw NodeError.refused(
        "\(home.keysDirectory)/\(Self.renewalsFile) is damaged: restore it from a backup, or "
          + "remove it to use the first certificate for uplinks again")
    }
    return count
  }

  /// Replaces the keys of the TLS certificates. The next start creates the certificates, and
  /// publishes the one for uplinks.
  ///
  /// - Returns: the clients whose certificate is replaced.
  /// - Throws: `NodeError.refused` if the operation names as many certificates of this device as it
  ///   may.
  public func renewCertificates() throws -> CertificateClients {
    var clients: CertificateClients = []
    if credentials.role.servesUplinks {
      let count = try uplinkRenewals()
      guard replica.queries.ownUplinkCertificates.count < Limits.uplinkCertificatesPerDevice,
        count < Self.mostRenewals
      else {
        throw NodeError.refused(
          "this device has published \(replica.queries.ownUplinkCertificates.count) certificates "
            + "for uplinks, the most of one device: enrol it again with another --home, then "
            + "revoke it")
      }
      try home.keys.replace(Self.renewalsFile, Array("\(count + 1)".utf8))
      clients.insert(.uplinks)
    }
    if home.keys.contains(Self.browserFile) {
      try home.keys.remove(Self.browserFile)
      clients.insert(.browsers)
    }
    return clients
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
