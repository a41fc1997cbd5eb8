internal import Logging
internal import MusterHTTP
internal import MusterModel
internal import MusterNode
internal import MusterTransport

/// The TLS listener for phones and, on a device of role command, for uplinks.
struct PhoneListener: Sendable {
  let place: HTTPArgument
  /// Nil on a device that cannot be a command post.
  let uplinks: UplinkIdentity?
  /// Nil on a command post that cannot make or read it: browsers receive that of the uplinks.
  let browsers: BrowserIdentity?
  private let names: [BrowserName]

  /// - Parameter home: stores the certificate for browsers.
  init(_ place: HTTPArgument, of home: borrowing OpenedHome, logger: Logger) throws {
    self.place = place
    names = BrowserName.all(of: place.host)
    uplinks = try home.uplinkIdentity()
    do {
      browsers = try home.browserIdentity(for: names)
    } catch {
      guard uplinks != nil else { throw error }
      browsers = nil
      logger.warning("browsers receive the certificate for uplinks: \(error)")
    }
  }

  var fingerprints: FingerprintFile.Contents {
    .init(uplinks: uplinks?.fingerprint, browsers: browsers?.fingerprint)
  }

  /// Prints the address for phones and the authority's fingerprint; on a terminal with a QR code.
  func announce(port: Int) {
    let url = address(port: port)
    Standard.complain("phones: \(url)")
    if let browsers {
      Standard.complain("phones trust the certificate \(browsers.authorityFingerprint)")
    }
    if let code = QRCode(url) { Standard.showForPhones(code) }
  }

  /// The page for phones, by the first name of this machine. The part after `#`, which browsers do
  /// not send, is the authority's fingerprint, if there is one.
  func address(port: Int) -> String {
    let part = browsers.map { "#" + $0.authorityFingerprint.filter { $0 != ":" } } ?? ""
    return "\(origin(port: port))/join\(part)"
  }

  /// The address of the listener for links, by the first name of this machine.
  func origin(port: Int) -> String {
    "https://\(Endpoint.authority(names.first?.host ?? place.host, port))"
  }
}
