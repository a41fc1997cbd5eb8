import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct WatchTests {
    @Test func `the live screen scrolls by keys, follows its terminal and restores it`()
      async throws
    {
      try await Field.run { field in
        // Given a laptop with more than one screen of reports
        let anna = try await field.founder("Anna")
        _ = try await anna.run()
        for number in 10...39 {
          try await anna.send("report", "add", "--title", "Report \(number)")
        }
        let watch = try TerminalSession(of: ["watch"], on: anna, rows: 24, columns: 80)
        try await eventually("the first screen is shown") {
          let screen = watch.screen
          return screen.count == 24 && screen[1].hasPrefix("ALERTS")
            && screen[23].hasPrefix("▼") && screen[23].contains("reports")
        }
        #expect(try !watch.isRestored)

        // When Anna scrolls
        watch.type("\u{1B}[F")
        try await eventually("End shows the last lines") {
          watch.screen.last?.hasPrefix("▲") == true && watch.screen.last?.contains("▼") == false
        }
        watch.type("?")
        try await eventually("? shows the keys") { watch.screen.contains { $0.contains("PgDn") } }
        watch.type("?g")
        try await eventually("g shows the first line again") {
          watch.screen.count == 24 && watch.screen[1].hasPrefix("ALERTS")
        }

        // Then the screen has the size of the terminal
        try watch.resize(rows: 12, columns: 50)
        try await eventually("it is drawn in the new size") {
          watch.screen.count == 12 && watch.screen.allSatisfy { $0.count <= 50 }
        }
        watch.type("q")
        try await expectEnd(of: watch)
        for number in [SIGTERM, SIGHUP, SIGINT] {
          let ended = try TerminalSession(of: ["watch"], on: anna, rows: 24, columns: 80)
          try await eventually("it is shown") { ended.screen.count == 24 }
          ended.signal(number)
          try await expectEnd(of: ended)
        }
      }
    }

    private func expectEnd(of watch: TerminalSession) async throws {
      try await eventually("it has ended") { !watch.isRunning }
      #expect(watch.written.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
      #expect(try watch.isRestored)
    }
  }
}
