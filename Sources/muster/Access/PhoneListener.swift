internal import MusterNode
internal import MusterTransport

/// The TLS listener for phones and, on a device of role command, for uplinks.
struct PhoneListener: Sendable {
  let place: HTTPArgument
  /// Nil on a device that cannot be a command post.
  let uplinks: UplinkIdentity?
  let browsers: BrowserIdentity
  private let names: [BrowserName]

  /// - Parameter home: stores the certificate for browsers.
  init(_ place: HTTPArgument, of home: borrowing OpenedHome) throws {
    self.place = place
    names = BrowserName.all(of: place.host)
    uplinks = try home.uplinkIdentity()
    browsers = try home.browserIdentity(for: names)
  }

  /// Prints the address for phones and the authority's fingerprint; on a terminal with a QR code.
  func announce(port: Int) {
    let url = address(port: port)
    Standard.complain("phones: \(url)")
    Standard.complain("phones trust the certificate \(browsers.authorityFingerprint)")
    if let code = QRCode(url) { Standard.showForPhones(code) }
  }

  /// The page for phones, by the first name of this machine. The part after `#`, which browsers do
  /// not send, is the authority's fingerprint.
  func address(port: Int) -> String {
    let digits = browsers.authorityFingerprint.filter { $0 != ":" }
    return "https://\(names.first?.host ?? place.host):\(port)/join#\(digits)"
  }
}
