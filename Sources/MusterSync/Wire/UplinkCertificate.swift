internal import MusterModel

/// What a command post shows by TLS when somebody comes by its uplink. Counts in the control log of
/// a device that may command, until that device is revoked; a node takes no other certificate.
public struct UplinkCertificate: Hashable, Sendable {
  /// X.509 in DER, not looked into here: 1 to `Limits.uplinkCertificateBytes`.
  public let der: [UInt8]

  /// Nil outside those bounds.
  public init?(der: [UInt8]) {
    guard (1...Limits.uplinkCertificateBytes).contains(der.count) else { return nil }
    self.der = der
  }
}
