internal import COpenSSL

/// An X.509 certificate. OpenSSL reads, verifies and signs it.
///
/// A class, since OpenSSL counts references to what it points at.
final class TLSCertificate {
  /// An `X509`.
  let pointer: OpaquePointer

  /// What a new certificate states.
  struct Contents {
    var subject: String
    var issuer: String
    /// Whether the key may sign other certificates.
    var isAuthority: Bool
    /// From and to: `YYYYMMDDHHMMSSZ`.
    var validity: (from: String, to: String)
    /// Further extensions, in the notation of `x509v3_config(5)`.
    var extensions: [(kind: Int32, value: String)] = []
  }

  /// Parses a certificate; nil if the bytes are not exactly one in DER.
  init?(der: [UInt8]) {
    let parsed = der.withUnsafeBufferPointer { buffer in
      var next = buffer.baseAddress
      return d2i_X509(nil, &next, der.count)
    }
    guard let parsed else { return nil }
    // OpenSSL reads BER too, and ignores what follows.
    guard DER.bytes({ i2d_X509(parsed, $0) }) == der else {
      X509_free(parsed)
      return nil
    }
    pointer = parsed
  }

  /// Creates a certificate for TLS servers, without a key usage: with one, TLS would accept a
  /// self-signed certificate only if it permits signing itself. Nil if OpenSSL cannot sign it.
  ///
  /// - Parameter issuer: the signer's certificate; nil for a self-signed one.
  init?(
    _ contents: Contents, of key: TLSKey, signedBy signer: TLSKey, issuer: TLSCertificate? = nil
  ) {
    guard let created = X509_new() else { return nil }
    guard Self.fill(created, contents), X509_set_pubkey(created, key.pointer) == 1,
      contents.extensions.allSatisfy({
        Self.add($0.kind, $0.value, to: created, issuer: issuer?.pointer)
      }),
      X509_sign(created, signer.pointer, EVP_sha256()) > 0
    else {
      X509_free(created)
      return nil
    }
    pointer = created
  }

  deinit { X509_free(pointer) }

  var der: [UInt8]? { DER.bytes { i2d_X509(pointer, $0) } }
  /// The subject's name in DER.
  var subject: [UInt8]? { DER.bytes { i2d_X509_NAME(X509_get_subject_name(pointer), $0) } }
  /// The issuer's name in DER.
  var issuer: [UInt8]? { DER.bytes { i2d_X509_NAME(X509_get_issuer_name(pointer), $0) } }
  /// Whether the certificate's own key signed it.
  var isSelfSigned: Bool {
    issuer == subject && X509_verify(pointer, X509_get0_pubkey(pointer)) == 1
  }
  /// Whether the key may sign other certificates; nil if the certificate does not state it once.
  var isAuthority: Bool? {
    guard let found = X509_get_ext_d2i(pointer, NID_basic_constraints, nil, nil) else { return nil }
    let constraints = found.assumingMemoryBound(to: BASIC_CONSTRAINTS.self)
    defer { BASIC_CONSTRAINTS_free(constraints) }
    return constraints.pointee.ca != 0
  }

  /// Returns whether the certificate is for a key.
  func isFor(_ key: TLSKey) -> Bool {
    X509_get0_pubkey(pointer).map { EVP_PKEY_eq($0, key.pointer) == 1 } ?? false
  }

  private static func fill(_ certificate: OpaquePointer, _ contents: Contents) -> Bool {
    let constraints = contents.isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"
    return X509_set_version(certificate, 2) == 1 && drawSerialNumber(of: certificate)
      && setName(X509_get_issuer_name(certificate), contents.issuer)
      && setName(X509_get_subject_name(certificate), contents.subject)
      && ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), contents.validity.from) == 1
      && ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), contents.validity.to) == 1
      && add(NID_basic_constraints, constraints, to: certificate)
      && add(NID_ext_key_usage, "serverAuth", to: certificate)
  }

  /// Draws a positive number of 20 bytes at most (RFC 5280 §4.1.2.2).
  private static func drawSerialNumber(of certificate: OpaquePointer) -> Bool {
    let number = BN_new()
    defer { BN_free(number) }
    return BN_rand(number, 159, 0, 0) == 1
      && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
  }

  private static func setName(_ name: OpaquePointer?, _ common: String) -> Bool {
    X509_NAME_add_entry_by_NID(
      name, NID_commonName, MBSTRING_UTF8, common, Int32(common.utf8.count), -1, 0) == 1
  }

  /// - Parameter issuer: the certificate of the signer; nil if it is the same one.
  private static func add(
    _ kind: Int32, _ value: String, to certificate: OpaquePointer, issuer: OpaquePointer? = nil
  ) -> Bool {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, issuer ?? certificate, certificate, nil, nil, 0)
    let part = X509V3_EXT_conf_nid(nil, &context, kind, value)
    defer { X509_EXTENSION_free(part) }
    return part != nil && X509_add_ext(certificate, part, -1) == 1
  }
}
