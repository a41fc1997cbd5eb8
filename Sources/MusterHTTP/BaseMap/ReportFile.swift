internal import Foundation
public import MusterLocation
public import MusterModel

/// The reports of a file of any format of an overlay: its points, with names and descriptions.
public struct ReportFile: Sendable {
  /// The reports, in the order of the file.
  public private(set) var drafts: [ReportDraft] = []
  private var omissions = ImportOutcome()

  /// What was used, and what was left out.
  public var outcome: ImportOutcome { omissions.using(drafts.count) }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: its path, which names points without a name.
  ///   - category: of all reports; nil for `other`.
  ///   - severity: of all reports, from 1 to 5; nil if unknown.
  /// - Throws: if the file as a whole is not read.
  public init(
    opening path: String, category: ReportCategory? = nil, severity: UInt8? = nil
  ) throws(OverlayFault) {
    let overlay = try MapOverlay(OverlayContent(opening: path))
    omissions = overlay.outcome
    for feature in overlay.features {
      switch feature.shape {
      case .point(let place):
        let details = TextRule.paragraphs.fitting(feature.details)
        drafts.append(
          ReportDraft(
            title: OverlayContent.name(feature.name, drafts.count, in: path),
            details: details.isEmpty ? nil : details, category: category, severity: severity,
            position: place))
      case .line: omissions.leaveOut(feature.place, "a line: a report is at a point")
      case .polygon: omissions.leaveOut(feature.place, "an area: import it as a zone")
      }
    }
  }

  /// Leaves out the reports that exist with the same title at the same position.
  public mutating func leaveOut(_ existing: [ReportSummary]) {
    let known = Set(existing.map { Place($0.title, $0.position) })
    drafts = omissions.leavingOut(drafts, named: \.title, "it is a report already") { draft in
      known.contains(Place(draft.title, draft.position))
    }
  }

  private struct Place: Hashable {
    let title: String
    let position: Coordinate?

    init(_ title: String, _ position: Coordinate?) {
      (self.title, self.position) = (title, position)
    }
  }
}
