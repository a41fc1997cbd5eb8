import Foundation
import MusterModel
import MusterTestKit
import Testing

@testable import MusterTransport

struct BrowserIdentityTests {
  /// Of the system, since `openssl` compares the validity with it.
  private static let now = Timestamp(
    milliseconds: Int64(Date(timeIntervalSinceNow: 0).timeIntervalSince1970) * 1000)
  private static let texts = ["192.168.4.1", "fd00::1", "post.local"]

  private func names(_ texts: [String] = Self.texts) throws -> [BrowserName] {
    try texts.map { try #require(BrowserName($0), "\($0)") }
  }

  private func identity(_ texts: [String] = Self.texts) throws -> BrowserIdentity {
    try BrowserIdentity(names: names(texts), now: Self.now) {
      (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    }
  }

  @Test(arguments: [
    ("-verify_ip", "192.168.4.1", true), ("-verify_ip", "fd00::1", true),
    ("-verify_hostname", "post.local", true), ("-verify_ip", "192.168.4.2", false),
    ("-verify_ip", "fd00::2", false), ("-verify_hostname", "bank.example", false),
  ])
  func `openssl accepts the chain for these names alone`(
    option: String, name: String, isAccepted: Bool
  ) throws {
    let identity = try identity()
    #expect(
      try verify(identity.certificate, by: identity.authority, [option, name]) == isAccepted)
  }

  @Test func `the authority cannot vouch for a foreign name`() throws {
    // Given an attacker with the key of the authority, which is deleted in reality
    var keys: [[UInt8]] = []
    let identity = try BrowserIdentity(names: names(), now: Self.now) {
      keys.append((0..<32).map { _ in UInt8.random(in: .min ... .max) })
      return keys[keys.count - 1]
    }
    let signer = try #require(TLSKey(bytes: keys[0]))
    let key = try #require(TLSKey(bytes: keys[1]))
    let authority = try #require(TLSCertificate(der: identity.authority))
    let day: Int64 = 86_400_000
    func text(_ days: Int64) -> String {
      Timestamp(milliseconds: Self.now.milliseconds + days * day).description
        .filter { $0.isNumber || $0 == "Z" }
    }
    for (name, isAccepted) in [
      ("DNS:post.local", true), ("DNS:bank.example", false), ("IP:8.8.8.8", false),
      ("IP:2001:db8::1", false),
    ] {
      let contents = TLSCertificate.Contents(
        subject: "x", issuer: try #require(try commonName(of: identity.authority)),
        isAuthority: false, validity: (from: text(-1), to: text(1)),
        extensions: [
          (Extension.names, name), (Extension.ownKey, "hash"),
          (Extension.issuersKey, "keyid:always"),
        ])
      let forged = try #require(
        TLSCertificate(contents, of: key, signedBy: signer, issuer: authority)?.der)
      #expect(try verify(forged, by: identity.authority, []) == isAccepted, "\(name)")
    }
  }

  @Test func `with one kind of name, the other kinds are forbidden`() throws {
    for texts in [["192.168.4.1"], ["fd00::1"], ["post.local"]] {
      let identity = try identity(texts)
      #expect(try verify(identity.certificate, by: identity.authority, []), "\(texts)")
    }
  }

  @Test func `it is renewed for another name, and a month before its end`() throws {
    let identity = try identity()
    func isUsable(_ texts: [String], afterDays days: Int64) throws -> Bool {
      let moment = Timestamp(milliseconds: Self.now.milliseconds + days * 86_400_000)
      return identity.isUsable(for: try names(texts), now: moment)
    }
    #expect(try isUsable(Self.texts, afterDays: 0))
    #expect(try isUsable(["post.local"], afterDays: 365))
    #expect(try !isUsable(Self.texts, afterDays: 367))
    #expect(try !isUsable(Self.texts, afterDays: -2))
    #expect(try !isUsable(Self.texts + ["10.0.0.1"], afterDays: 0))
    #expect(try !isUsable(["other.local"], afterDays: 0))
  }

  @Test func `stored bytes are the same identity, and damaged ones none`() throws {
    let identity = try identity()
    let again = try #require(BrowserIdentity(encoded: identity.encoded))
    #expect(again.encoded == identity.encoded)
    #expect(again.fingerprint == identity.fingerprint)
    #expect(BrowserIdentity(encoded: []) == nil)
    #expect(BrowserIdentity(encoded: identity.encoded.dropLast()) == nil)
    #expect(BrowserIdentity(encoded: identity.encoded + [0]) == nil)
    var damaged = identity.encoded
    damaged[5] ^= 1
    #expect(BrowserIdentity(encoded: damaged) == nil)
  }

  @Test(arguments: ["0.0.0.0", "::", "a b", "a,DNS:b", "-a.local", "", "1.2.3", "fe80::1%1"])
  func `text that names no machine is no name`(text: String) {
    #expect(BrowserName(text) == nil)
  }

  @Test func `a listener on one address has it as the first name`() throws {
    #expect(BrowserName.all(of: "192.168.4.1").first == BrowserName("192.168.4.1"))
    #expect(try #require(BrowserName("fd00::1")).host == "[fd00::1]")
    #expect(!BrowserName.all(of: "0.0.0.0").isEmpty)
  }

  @Test func `a long host name is in the certificate, though not whole in the authority's name`()
    throws
  {
    let name = [String](repeating: "laptop", count: 36).joined(separator: ".")
    let identity = try identity([name])
    #expect(
      try verify(identity.certificate, by: identity.authority, ["-verify_hostname", name]))
  }

  private func interface(_ name: String, _ address: [UInt8]) throws -> InterfaceState {
    InterfaceState(
      name: name, address: try #require(Endpoint(address: address, port: 0)), isRunning: true)
  }

  @Test func `a wildcard has no addresses that change by themselves`() throws {
    let line = "20010db8000000000000000000000002 02 40 00 %F    wlan0\n"
    let temporary = [line.replacing("%F", with: "01"), line.replacing("%F", with: "80")]
      .compactMap { InterfaceState.temporary($0) }
    #expect(temporary == [[0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [2]])
    var interfaces: Set<InterfaceState> = [
      try interface("wlan0", [192, 168, 4, 1]), try interface("wlan0", temporary[0]),
    ]
    for (index, name) in ["docker0", "br-1f", "veth2", "virbr0", "tun0", "wg0"].enumerated() {
      interfaces.insert(try interface(name, [172, 17, 0, UInt8(index + 1)]))
    }
    #expect(
      BrowserName.all(
        of: "0.0.0.0", interfaces: interfaces, temporary: Set(temporary), hostName: "post.example")
        == (try names(["192.168.4.1", "10.42.0.1", "post.local", "post.example"])))
  }

  @Test func `many addresses leave room for the host name`() throws {
    let interfaces = Set(try (1...40).map { try interface("eth\($0)", [10, 0, $0, 1]) })
    let all = BrowserName.all(
      of: "::", interfaces: interfaces, temporary: [], hostName: "post.example")
    #expect(all.count == 32)
    #expect(all.first == BrowserName("10.0.1.1"))
    #expect(all.suffix(2) == (try names(["post.local", "post.example"]))[...])
  }

  /// OpenSSL's numbers (`obj_mac.h`).
  private enum Extension {
    static let ownKey: Int32 = 82
    static let names: Int32 = 85
    static let issuersKey: Int32 = 90
  }

  private func commonName(of der: [UInt8]) throws -> String? {
    let output = try run(
      ["x509", "-inform", "der", "-noout", "-subject", "-nameopt", "multiline"], input: der
    ).output
    return output.split(separator: "\n").last?.split(separator: "=").last
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// Whether `openssl verify` accepts a certificate for a TLS server.
  private func verify(
    _ certificate: [UInt8], by authority: [UInt8], _ options: [String]
  ) throws -> Bool {
    let folder = try TemporaryFolder()
    var paths: [String] = []
    for (name, der) in [("authority", authority), ("own", certificate)] {
      let path = folder.url.appending(path: "\(name).pem")
      let text = Data(der).base64EncodedString(options: .lineLength64Characters)
      try Data("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8)
        .write(to: path)
      paths.append(path.path)
    }
    return try run(
      ["verify", "-x509_strict", "-purpose", "sslserver"] + options
        + ["-CAfile", paths[0], paths[1]]
    ).isSuccess
  }

  private func run(
    _ arguments: [String], input: [UInt8] = []
  ) throws -> (isSuccess: Bool, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    let (written, read) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (written, read)
    process.standardError = FileHandle.nullDevice
    try process.run()
    try written.fileHandleForWriting.write(contentsOf: Data(input))
    try written.fileHandleForWriting.close()
    let output = try read.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus == 0, String(decoding: output, as: UTF8.self))
  }
}
