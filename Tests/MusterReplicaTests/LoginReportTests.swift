import MusterModel
import MusterReplica
import Testing

/// Reports that logins of a laptop file, correct and withdraw (decision 0092).
@Suite("Reports of logins")
struct LoginReportTests {
  private func filed(by login: String, in valley: inout Valley) throws -> [RowID] {
    try valley.ask("Ada") { replica, _ in try replica.queries.reports(filedBy: login) }
  }

  @Test func `are known after a restart, those of one transaction too`() throws {
    var valley = try Valley.with("Ada", "Ben")
    var ids: [String: [RowID]] = [:]
    try valley.at("Ada") { replica, now in
      try replica.gather(now: now) { replica in
        for number in 0..<6 {
          let login = number.isMultiple(of: 2) ? "Rui" : "Eva"
          let request = ReportRequests.add(ReportDraft(title: "Smoke \(number)"), by: login)
          ids[login, default: []].append(try replica.write(request, now: now).answer)
        }
      }
    }
    try valley.restart("Ada")
    for login in ["Rui", "Eva"] { #expect(try filed(by: login, in: &valley) == ids[login]) }
    #expect(try filed(by: "Ada", in: &valley) == [])
    try valley.at("Ada") { replica, now in
      #expect(throws: Refusal.self) {
        try replica.write(ReportRequests.delete(ids["Eva"]![0], by: "Rui"), now: now)
      }
      return try replica.write(ReportRequests.delete(ids["Rui"]![0], by: "Rui"), now: now)
    }
    #expect(try filed(by: "Rui", in: &valley) == Array(ids["Rui"]![1...]))
  }

  @Test func `are the newest only, of bounded number`() throws {
    var valley = try Valley.with("Ada")
    var ids: [RowID] = []
    for _ in 0..<2 {
      try valley.at("Ada") { replica, now in
        try replica.gather(now: now) { replica in
          for _ in 0..<Limits.reportsPerLogin * 3 / 4 {
            let request = ReportRequests.add(ReportDraft(title: "Smoke"), by: "Rui")
            ids.append(try replica.write(request, now: now).answer)
          }
        }
      }
    }
    #expect(try filed(by: "Rui", in: &valley) == ids.suffix(Limits.reportsPerLogin))
  }
}
