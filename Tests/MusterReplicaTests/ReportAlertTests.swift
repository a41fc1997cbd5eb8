import MusterModel
import MusterReplica
import Testing

/// Ada is command; Ben and Cleo are members.
@Suite("Reports that matter reach command")
struct ReportAlertTests {
  private func alerts(_ name: String, in valley: inout Valley) throws -> [String] {
    try valley.ask(name) { try $0.alerts(now: $1) }.filter { $0.id.kind == .hazard }
      .map { "\($0.priority.name): \($0.text)" }
  }

  private func file(
    _ draft: ReportDraft, by name: String, for principal: Principal? = nil,
    in valley: inout Valley
  ) throws -> RowID {
    var id = RowID(raw: .zero)
    try valley.at(name) { replica, now in
      let answer = try replica.write(
        ReportRequests.add(draft), onBehalfOf: principal, now: now)
      id = answer.answer
      return answer.outcome
    }
    try valley.converge()
    return id
  }

  @Test func `severity 4 and a request to evacuate are alarms, however far from command`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ada") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    let dam = place(metresNorth: 3700)
    _ = try file(
      ReportDraft(title: "Dam overtopping", category: .flood, severity: 4, position: dam),
      by: "Ben", in: &valley)
    #expect(
      try alerts("Ada", in: &valley) == [
        "danger: Ben reports: Dam overtopping (flood). No one within 1 km"
      ])
    // A member far away is not concerned.
    #expect(try alerts("Cleo", in: &valley) == [])

    _ = try file(
      ReportDraft(title: "Leave", category: .other, position: nil, toEvacuate: true), by: "Cleo",
      in: &valley)
    #expect(
      Set(try alerts("Ada", in: &valley)) == [
        "danger: Ben reports: Dam overtopping (flood). No one within 1 km",
        "danger: Cleo reports: evacuate. Leave (other). No position",
      ])
  }

  @Test func `the text counts the people near by, or names the nearest zone`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(
          FenceDraft(
            name: "School", kind: .muster, geometry: circle(metres: 100, metresNorth: 9000))),
        now: $1)
    }
    for (name, north) in [("Ben", Int64(3200)), ("Cleo", 2900)] {
      try valley.at(name) { try $0.ingest(fix(metresNorth: north, second: 1), now: $1) }
    }
    try valley.converge()
    // Of one reporter the fourth would share a row.
    var count = 0
    func text(at north: Int64) throws -> String? {
      count += 1
      let name = count <= 3 ? "Ben" : "Cleo"
      let id = try file(
        ReportDraft(title: "Slide", severity: 5, position: place(metresNorth: north)), by: name,
        in: &valley)
      let text = try valley.ask("Ada") { try $0.alerts(now: $1) }.first { $0.id.row == id }?.text
      return text?.replacing("\(name) reports: ", with: "")
    }
    #expect(try text(at: 3000) == "Slide (other). 2 people within 500 m")
    #expect(try text(at: 3600) == "Slide (other). 1 person within 500 m")
    #expect(try text(at: 3850) == "Slide (other). 2 people within 1 km")
    #expect(try text(at: 9050) == "Slide (other). In zone School")
    #expect(try text(at: 9601) == "Slide (other). 500 m from zone School")
    #expect(try text(at: 20_000) == "Slide (other). No one within 1 km")
  }

  @Test func `other reports raise an alert only near people or zones`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Cleo") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.converge()
    _ = try file(
      ReportDraft(title: "Far", severity: 3, position: place(metresNorth: 1500)), by: "Ben",
      in: &valley)
    #expect(try alerts("Ada", in: &valley) == [])
    _ = try file(ReportDraft(title: "Anywhere", severity: 3), by: "Ben", in: &valley)
    #expect(try alerts("Ada", in: &valley) == [])
    _ = try file(
      ReportDraft(title: "Tree", severity: 3, position: place(metresNorth: 900)), by: "Ben",
      in: &valley)
    _ = try file(
      ReportDraft(title: "Gate", severity: 1, position: place(metresNorth: 300)), by: "Ben",
      in: &valley)
    #expect(
      try alerts("Ada", in: &valley) == [
        "warning: Ben reports: Tree (other). 1 person within 1 km",
        "message: Ben reports: Gate (other). 1 person within 500 m",
      ])
    // Once the person has signed off, they concern no one.
    try valley.at("Cleo") {
      try $0.write(PersonRequests.signOff(nil, reason: "home", isConfirmed: true), now: $1)
    }
    try valley.converge()
    #expect(try alerts("Ada", in: &valley) == [])
  }

  @Test func `a phone at the laptop of command is a reporter of its own`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let dam = ReportDraft(title: "Dam", category: .flood, severity: 5)
    _ = try file(dam, by: "Ada", in: &valley)
    #expect(try alerts("Ada", in: &valley) == [])
    _ = try file(dam, by: "Ada", for: .login("Eva"), in: &valley)
    #expect(
      try alerts("Ada", in: &valley)
        == ["danger: Eva, through Ada's laptop reports: Dam (flood). No position"])
  }

  @Test func `a report of a revoked device is a warning at most`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    _ = try file(
      ReportDraft(title: "Dam", severity: 5, toEvacuate: true), by: "Ben", in: &valley)
    let device = try valley.ask("Ada") { replica, _ in
      try replica.queries.devices().first { $0.callsign == "Ben" }?.id
    }
    let ben = try #require(device)
    try valley.at("Ada") { try $0.revoke(ben, now: $1) }
    #expect(
      try alerts("Ada", in: &valley)
        == ["warning: Ben reports: evacuate. Dam (other, not proven). No position"])
  }
}
