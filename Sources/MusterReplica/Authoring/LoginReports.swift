internal import MusterModel
internal import MusterStore

/// The reports that a login of this node filed, which it may correct and withdraw (decision 0092).
///
/// Local to this device, and stored with the report. The report itself is the device user's own,
/// and does not name the login. After a loss of the database the login owns none.
struct LoginReports: Sendable {
  private let key: String
  /// Oldest first.
  private(set) var ids: [RowID]

  /// - Parameter stored: returns a local setting.
  init(of login: String, _ stored: (String) throws -> [UInt8]?) rethrows {
    key = "login reports \(login)"
    let bytes = try stored(key) ?? []
    ids = stride(from: 0, to: bytes.count, by: 16).compactMap {
      Bytes16(bytes[$0...].prefix(16)).map(RowID.init(raw:))
    }
  }

  /// The setting with one more report; the oldest is dropped beyond the limit.
  func adding(_ id: RowID) -> [String: [UInt8]] {
    [key: (ids + [id]).suffix(Limits.reportsPerLogin).flatMap(\.raw.bytes)]
  }
}
