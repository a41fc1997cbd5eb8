import MusterModel
import MusterSimulator
import Testing

@Suite("The page of a run")
struct ReportTests {
  private func played(name: String, recorded: Bool) throws -> (World, RunResult) {
    var scenario = Scenario(
      name: name,
      nodes: [NodePlan(name: "anna", role: .command), NodePlan(name: "ben", role: .member)])
    scenario.story = "A story with <script>alert(1)</script> & \"quotes\"."
    scenario.durationMilliseconds = 30_000
    scenario.workload.fences = 1
    scenario.workload.everyMilliseconds[.reports] = 5000
    scenario.timeline = [
      TimelineEntry(atMilliseconds: 5000, event: .cut([["anna"], ["ben"]])),
      TimelineEntry(atMilliseconds: 15_000, event: .heal),
    ]
    let world = try World(scenario, seed: 5)
    if recorded { world.recording = Recording() }
    return (world, try world.run())
  }

  @Test
  func `a recorded run is a page with story, events and result, and without foreign markup`()
    throws
  {
    let (world, result) = try played(name: "a <b>", recorded: true)

    let page = try ReportPage(world, result).html

    #expect(result.violations == [])
    #expect(page.contains("a &lt;b&gt;"))
    #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot;"))
    #expect(!page.contains("<script"))
    #expect(!page.contains("http:") && !page.contains("https:"))
    #expect(page.contains("partition: anna | ben"))
    #expect(page.contains("all links are back"))
    #expect(page.contains("Every promise held"))
    #expect(page.contains(result.traceHash))
    for heading in ["Who was there", "How they came to agree", "What it cost", "Where they went"] {
      #expect(page.contains(heading))
    }
  }

  @Test func `recording does not change a run`() throws {
    let traces = try [true, false].map { try played(name: "same", recorded: $0).1.traceHash }

    #expect(traces[0] == traces[1])
  }
}
