internal import MusterModel

/// The certificate that a command post presents to clients of its uplink. It counts in the control
/// log of a device with the role `command` or `archive` until that device is revoked. A node
/// accepts no other certificate, except while it joins.
public struct UplinkCertificate: Hashable, Sendable {
  /// X.509 in DER, 1 to `Limits.uplinkCertificateBytes` bytes. It is not parsed here.
  public let der: [UInt8]

  /// Returns nil if the size is out of range.
  public init?(der: [UInt8]) {
    guard (1...Limits.uplinkCertificateBytes).contains(der.count) else { return nil }
    self.der = der
  }
}
