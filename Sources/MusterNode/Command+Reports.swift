public import MusterModel
internal import MusterReplica

/// What a login that changes only its own reports does with one of them (decision 0092).
public enum LoginReportWrite: Codable, Hashable, Sendable {
  case file(ReportDraft)
  case correct(String, ReportChanges)
  case withdraw(String)
}

extension Command {
  /// The row write of a command about reports; nil for any other command.
  var reportWrite: RowWrite? {
    switch self {
    case .addReport(let draft): Self.creating(ReportRequests.add(draft))
    case .editReport(let reference, let changes):
      Self.changing(.report, reference) { ReportRequests.edit($0, changes) }
    case .deleteReport(let reference):
      Self.changing(.report, reference) { ReportRequests.delete($0) }
    case .loginReport(.file(let draft), let login):
      Self.creating(ReportRequests.add(draft, by: login))
    case .loginReport(.correct(let reference, let changes), let login):
      Self.changing(.report, reference) { ReportRequests.edit($0, changes, by: login) }
    case .loginReport(.withdraw(let reference), let login):
      Self.changing(.report, reference) { ReportRequests.delete($0, by: login) }
    case .confirmReport(let reference, let seen):
      Self.changing(.report, reference) { ReportRequests.confirm($0, seen: seen) }
    case .commentReport(let reference, let text):
      Self.changing(.report, reference) { ReportRequests.comment($0, text: text) }
    default: nil
    }
  }
}

extension Node {
  /// Returns the ids of the reports that a login of this node filed and may change, oldest first.
  public func reports(filedBy login: String) throws -> [RowID] {
    try read { replica, _ in try replica.queries.reports(filedBy: login) }
  }
}
