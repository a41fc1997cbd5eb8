internal import MusterCRDT
internal import MusterGeo
internal import MusterModel
internal import MusterStore

/// Command's sampling settings: for all devices, or for one user's, which take precedence.
struct SettingsReader {
  let context: ReadContext

  /// Returns a user's sampling settings; with nil, those of users without their own.
  func locationProfile(of user: UserID?, inForeground: Bool) throws -> LocationProfile {
    let field: Field = inForeground ? .settingsForeground : .settingsBackground
    for row in try settings(for: user) {
      if case .profile(let profile)? = row.shown(field)?.value { return profile }
    }
    return inForeground ? .foreground : .background
  }

  func silenceMilliseconds(of user: UserID?) throws(StoreError) -> Int64 {
    for row in try settings(for: user) {
      if let seconds = row.number(.settingsSilenceSeconds), seconds > 0 {
        return Int64(seconds) * 1000
      }
    }
    return Limits.usualSilenceMilliseconds
  }

  /// Returns the user's own settings first.
  private func settings(for user: UserID?) throws(StoreError) -> [RowState] {
    var rows: [RowState] = []
    for key in [user.map(key), key(for: nil)].compactMap(\.self) {
      if let row = try context.row(key) { rows.append(row) }
    }
    return rows
  }

  func key(for user: UserID?) -> RowKey {
    RowKey(kind: .settings, id: RowID(raw: user?.raw ?? context.local.operation.raw))
  }
}
