/// An HTTP request to the service, as a listener received it.
public struct AmazonRequest: Sendable {
  /// In capitals.
  public let method: String
  /// As sent, percent-encoded, without the query.
  public let path: String
  /// As sent, percent-encoded; empty for none.
  public let query: String
  /// The whole body.
  public let body: [UInt8]
  /// The values of each header, in their order, by its name in lower case.
  private let headers: [String: [String]]

  /// - Parameter headers: the names in any case, `host` among them.
  public init(
    method: String, path: String, query: String, headers: [(name: String, value: String)],
    body: [UInt8]
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
    self.headers = Dictionary(grouping: headers) { $0.name.lowercased() }
      .mapValues { $0.map(\.value) }
  }

  /// Returns the values of a header, whose name MUST be in lower case; none if it is missing.
  func values(of name: String) -> [String] { headers[name] ?? [] }

  /// Returns the value of a header that occurs once; nil otherwise.
  func value(of name: String) -> String? {
    let values = values(of: name)
    return values.count == 1 ? values[0] : nil
  }
}

/// An HTTP response of the service.
public struct AmazonResponse: Sendable {
  /// The HTTP status.
  public let status: Int
  /// The additional headers, by their names in lower case.
  public let headers: [String: String]
  /// JSON.
  public let body: String
  /// What the audit log records; nil for a request that reads.
  public let audit: AuditEntry?

  /// A write, and by whose key.
  public struct AuditEntry: Sendable {
    /// The access key, or that the request was unsigned.
    public let name: String
    /// The operation.
    public let what: String
  }
}
