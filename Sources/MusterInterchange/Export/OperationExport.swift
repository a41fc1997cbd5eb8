public import MusterModel

/// An operation's data at a node, for other tools: GeoJSON, KML and GPX for maps, CSV for
/// spreadsheets. The output is deterministic.
public struct OperationExport: Sendable {
  /// The track of a person.
  public struct PersonTrack: Sendable {
    /// The person's callsign.
    public let callsign: String
    /// The fixes, by sample time.
    public let fixes: [Fix]

    /// Creates a track. A track without fixes is omitted from the output.
    public init(callsign: String, fixes: [Fix]) {
      self.callsign = callsign
      self.fixes = fixes
    }

    /// The fixes for formats whose lines have at least two positions: a single one is repeated.
    var line: [Fix] { fixes.count == 1 ? fixes + fixes : fixes }
  }

  let name: String
  let users: [UserSummary]
  let reports: [ReportSummary]
  let fences: [FenceSummary]
  let events: [CrossingSummary]
  /// Without people whose track is empty.
  let tracks: [PersonTrack]

  /// Creates an export; the order of reports, fences and events is kept in the output. An export is
  /// passed on: it has no calls under duress, which only command may see, and the order of people
  /// shows none.
  public init(
    name: String, users: [UserSummary], reports: [ReportSummary], fences: [FenceSummary],
    events: [CrossingSummary], tracks: [PersonTrack]
  ) {
    self.name = name
    self.users = users.map(\.withoutDuress).sorted(by: UserSummary.isListed)
    self.reports = reports
    self.fences = fences
    self.events = events
    self.tracks = tracks.filter { !$0.fixes.isEmpty }
  }
}

/// Formats degrees with up to seven decimals, without floating point.
enum Degrees {
  static func text(_ e7: Int32) -> String { GeoJSON.decimal(Int64(e7), places: 7) }
}
