import Foundation
import Testing

@testable import MusterTransport

struct UplinkPinsTests {
  private func identity(_ number: UInt8) throws -> UplinkIdentity {
    try UplinkIdentity(seed: { [$0] + [UInt8](repeating: number, count: 31) }, named: [])
  }

  @Test func `a command post's certificate is the same at every start, and fits a frame`() throws {
    let first = try identity(1)
    #expect(first.certificate.count <= 600)
    #expect(!UplinkPins(named: [first.certificate]).isEmpty)
    let again = try UplinkIdentity(
      seed: { [$0] + [UInt8](repeating: 1, count: 31) },
      named: [try identity(2).certificate, first.certificate])
    #expect(again.certificate == first.certificate)
  }

  @Test func `its fingerprint has the form that browsers show`() throws {
    let parts = try identity(1).fingerprint.split(separator: ":")
    #expect(parts.count == 32)
    #expect(parts.allSatisfy { $0.count == 2 && $0.allSatisfy { "0123456789ABCDEF".contains($0) } })
  }

  @Test func `of two command posts each has a name of its own`() throws {
    let first = try #require(UplinkPins.usable(try identity(1).certificate))
    let second = try #require(UplinkPins.usable(try identity(2).certificate))
    #expect(first.subject != second.subject)
  }

  @Test func `a seed that is no key is passed over`() throws {
    let identity = try UplinkIdentity(
      seed: { [UInt8](repeating: $0 == 0 ? 0xFF : 3, count: 32) }, named: [])
    #expect(UplinkPins.usable(identity.certificate) != nil)
    #expect(throws: UplinkIdentity.Fault.self) {
      try UplinkIdentity(seed: { _ in [UInt8](repeating: 0xFF, count: 32) }, named: [])
    }
  }

  @Test func `its dates reach as far as dates do`() throws {
    let certificate = try #require(UplinkPins.usable(try identity(1).certificate))
    let der = try #require(certificate.der)
    #expect(der.contains(Array("700101000000Z".utf8)))
    #expect(der.contains(Array("99991231235959Z".utf8)))
  }

  /// Made by swift-certificates, with the key of 32 ones.
  private static let earlier = Data(
    base64Encoded: """
      MIIBiTCCAS6gAwIBAgIVAJ/3+3FmIJ0TKc3oa33eBOM3tPbBMAoGCCqGSM49BAMCMC8xLTArBgNVBAMMJG11c3Rl\
      ciBjb21tYW5kIHBvc3QgMjU2YjFiZTMyNzQ1ZDFkMTAgFw03MDAxMDEwMDAwMDBaGA85OTk5MTIzMTIzNTk1OVow\
      LzEtMCsGA1UEAwwkbXVzdGVyIGNvbW1hbmQgcG9zdCAyNTZiMWJlMzI3NDVkMWQxMFkwEwYHKoZIzj0CAQYIKoZI\
      zj0DAQcDQgAEb/A7lJJBzh2t1DUZ5pYOCoW0GmmgXDKBA6orzhWUyhY8T3U6Vb8B3FP2wLDH7ueLQMb/fSWpbiKC\
      uYnO9xwUSqMlMCMwDAYDVR0TAQH/BAIwADATBgNVHSUEDDAKBggrBgEFBQcDATAKBggqhkjOPQQDAgNJADBGAiEA\
      pHsuQbnJ6CHeP9iQrcMHwRVz+P3wd46NyEbZW/R/k0wCIQD2/s79NAbcMvmBfgSm5ykk3f9oCO0izyAyLkt/+kIw\
      QQ==
      """)

  @Test func `a certificate that another library made is kept`() throws {
    let earlier = Array(try #require(Self.earlier))
    let kept = try UplinkIdentity(
      seed: { _ in [UInt8](repeating: 1, count: 32) }, named: [earlier])
    #expect(kept.certificate == earlier)
  }

  @Test func `bytes behind a certificate are not ignored`() throws {
    #expect(UplinkPins.usable(try identity(1).certificate + [0]) == nil)
  }

  @Test func `what could sign others, or was signed by another, or is damaged, is no pin`() throws {
    let good = try Shown().certificate
    #expect(UplinkPins.usable(good) != nil)
    let authority = try Shown(isAuthority: true)
    let other = try Shown(signer: authority.key)
    let named = try Shown(subject: "b", signer: authority.key, issuer: "a")
    for shown in [authority, other, named] {
      #expect(UplinkPins.usable(shown.certificate) == nil)
    }
    for index in good.indices {
      #expect(UplinkPins.usable(Array(good.prefix(index))) == nil, "\(index) bytes")
    }
    // All of these are signed. Behind them, one flip may be another spelling of the same signature.
    for index in good.indices.prefix(180) {
      var damaged = good
      damaged[index] ^= 1
      #expect(UplinkPins.usable(damaged) == nil, "byte \(index)")
    }
  }
}
