internal import MusterCrypto
public import MusterModel
internal import MusterSync

/// Paths over HTTPS: to the engine, each is a temporary address.
extension Replica {
  /// Handles an opened uplink: starts a handshake with the other end, if this side opened it.
  public mutating func uplinkOpened(
    _ endpoint: Endpoint, calls: Bool, now: ClockReading
  ) throws -> Outcome {
    precondition(endpoint.isUplink, "\(endpoint) is not an uplink")
    guard calls else { return Outcome() }
    return try transact(now: now) { try $0.core.run(.uplinkOpened(endpoint), now: now) }
  }

  /// Handles a closed uplink, which ends the sessions that it carried.
  public mutating func uplinkClosed(_ endpoint: Endpoint, now: ClockReading) throws -> Outcome {
    try transact(now: now) { try $0.core.run(.uplinkClosed(endpoint), now: now) }
  }

  /// Reports what a database has archived: from the first call on, receipts state that alone.
  public mutating func confirmArchived(_ states: [LogState], now: ClockReading) {
    core.schedules.confirmArchived(states, now: now.instant)
  }

  /// Publishes this command post's TLS certificate.
  public mutating func nameUplink(certificate der: [UInt8], now: ClockReading) throws -> Outcome {
    try core.context.require(.command, .archive)
    guard let certificate = UplinkCertificate(der: der) else {
      throw Refusal("a certificate of \(der.count) bytes exceeds \(Limits.uplinkCertificateBytes)")
    }
    guard core.queries.ownUplinkCertificates.count < Limits.uplinkCertificatesPerDevice else {
      throw Refusal("this device has reached the limit of TLS certificates")
    }
    return try transact(now: now) { replica in
      try replica.core.append([[.uplink(certificate)]], lane: .control, now: now)
    }
  }
}

extension Credentials {
  /// Returns the seed of the private key of this device's uplink. It is derived from the device's
  /// own key, so that it is stored, protected and lost together with it, without its own file.
  ///
  /// - Parameter attempt: 0; more if a result is not a valid key of the curve.
  public func uplinkSeed(attempt: UInt8) -> [UInt8] {
    Blake2b.hash256(
      Array("muster uplink key 1".utf8), [attempt], local.signingKey.exportSeed()
    ).bytes
  }
}
