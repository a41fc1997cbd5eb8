public import MusterModel

/// All that a node shows of an operation, for other tools: GeoJSON and GPX for maps, CSV for
/// sheets. The same operation makes the same bytes.
public struct OperationExport: Sendable {
  /// Somebody's way.
  public struct Way: Sendable {
    /// Whose it is.
    public let callsign: String
    /// By sample time.
    public let fixes: [Fix]

    /// One without fixes is left out of what is written.
    public init(callsign: String, fixes: [Fix]) {
      self.callsign = callsign
      self.fixes = fixes
    }
  }

  let name: String
  let users: [UserSummary]
  let reports: [ReportSummary]
  let fences: [FenceSummary]
  let events: [CrossingSummary]
  /// Without those of whom nothing is known.
  let ways: [Way]

  /// In the order in which it is to be written.
  public init(
    name: String, users: [UserSummary], reports: [ReportSummary], fences: [FenceSummary],
    events: [CrossingSummary], ways: [Way]
  ) {
    self.name = name
    self.users = users
    self.reports = reports
    self.fences = fences
    self.events = events
    self.ways = ways.filter { !$0.fixes.isEmpty }
  }
}

/// Degrees with up to seven decimals, and no floating point on the way.
enum Degrees {
  static func text(_ e7: Int32) -> String { GeoJSON.decimal(Int64(e7), places: 7) }
}
