internal import MusterCrypto
public import MusterModel
internal import MusterSync

/// Ways over HTTPS: to the engine each is an address like another, which comes and goes.
extension Replica {
  /// An uplink stands: whoever is at its other end is called, where this side began it.
  public mutating func uplinkOpened(
    _ endpoint: Endpoint, calls: Bool, now: ClockReading
  ) throws -> Outcome {
    precondition(endpoint.isUplink, "\(endpoint) is no uplink")
    guard calls else { return Outcome() }
    return try transact(now: now) { try $0.run(.uplinkOpened(endpoint), now: now) }
  }

  /// An uplink has gone, and with it the sessions that it carried.
  public mutating func uplinkClosed(_ endpoint: Endpoint, now: ClockReading) throws -> Outcome {
    try transact(now: now) { try $0.run(.uplinkClosed(endpoint), now: now) }
  }

  // MARK: Certificates

  /// What command posts may show by TLS, in DER: those that commanders who count have named.
  public var uplinkCertificates: [[UInt8]] { control.uplinks.map(\.certificate.der) }

  /// Those that this device named.
  public var ownUplinkCertificates: [[UInt8]] {
    control.uplinks.filter { $0.device == local.device }.map(\.certificate.der)
  }

  /// Tells everybody what this command post shows by TLS.
  public mutating func nameUplink(
    certificate der: [UInt8], now: ClockReading
  ) throws -> Outcome {
    try require(.command)
    guard let certificate = UplinkCertificate(der: der) else {
      throw Refusal(
        "a certificate of \(der.count) bytes: at most \(Limits.uplinkCertificateBytes)")
    }
    guard ownUplinkCertificates.count < Limits.uplinkCertificatesPerDevice else {
      throw Refusal("this device has named as many certificates as it may")
    }
    return try transact(now: now) { replica in
      try replica.append([[.uplink(certificate)]], lane: .control, now: now)
    }
  }
}

extension Credentials {
  /// What the private key of this device's uplink is made from: it follows from the device's own
  /// key, so that it is kept, protected and lost with it, and is never a file of its own.
  ///
  /// - Parameter attempt: 0; or more where what that gave was no key of the curve.
  public func uplinkSeed(attempt: UInt8) -> [UInt8] {
    Blake2b.hash256(
      Array("muster uplink key 1".utf8), [attempt], local.signingKey.exportSeed()
    ).bytes
  }
}
