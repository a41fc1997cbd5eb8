import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct CompletionTests {
    /// Prints what bash offers for the last word of a command line, by the installed script.
    private static let script = """
      source "$1"; shift
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
      COMPREPLY=()
      _muster muster "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """

    @Test
    func `Tab offers names of people, zones, reports, teams and orders, and runs none of them`()
      async throws
    {
      try await Field.run { field in
        // Given names with spaces, and one that a shell could run
        let anna = try await field.founder("Anna")
        let node = try await anna.run()
        _ = try await field.joiner("Ben", inviting: anna)
        let trap = field.folder.appending(path: "trap").path
        try await anna.send("report", "add", "--title", "Gas smell")
        try await anna.send("report", "add", "--title", "$(touch \(trap)) `touch \(trap)`")
        try await anna.send(
          "zone", "add", "--name", "School", "--kind", "assembly", "--circle", "1,1,50")
        try await anna.send("user", "team", "North crew")
        try await anna.send("order", "rollcall")

        // Then each place has its own. A node that is too slow gives none.
        func offers(_ words: String..., home: URL = anna.home) async throws -> [String] {
          try await Self.offers(["muster"] + words, of: home, in: field)
        }
        func expect(_ names: [String], for words: String...) async throws {
          try await eventually("\(words) offers \(names)") {
            try await Self.offers(["muster"] + words, of: anna.home, in: field) == names
          }
        }
        try await expect(["Gas smell"], for: "report", "show", "Gas")
        try await expect(["Gas smell"], for: "report", "show", "Gas\\ s")
        try await eventually("a title is offered") {
          try await offers("report", "show", "$").count == 1
        }
        #expect(!FileManager.default.fileExists(atPath: trap), "a title was run")
        try await expect(["School"], for: "zone", "show", "S")
        try await expect(["School"], for: "order", "muster", "--zone", "")
        try await expect(["North crew"], for: "order", "rollcall", "--team", "")
        try await expect(["Anna"], for: "user", "override", "A")
        try await expect(["rollcall"], for: "ack", "r")
        try await expect(["mgrs"], for: "zone", "list", "--coordinates", "m")
        try await expect(["fire"], for: "report", "add", "--category", "fi")
        try await expect(["command"], for: "order", "rollcall", "--role", "c")

        // And without a node there is nothing, and no message
        try await node.stop()
        #expect(try await offers("report", "show", "").isEmpty)
        #expect(try await offers("report", "show", "", home: field.folder).isEmpty)
      }
    }

    private static func offers(
      _ line: [String], of home: URL, in field: Field
    ) async throws -> [String] {
      let programs = try Program.located().deletingLastPathComponent().path
      let environment = Child.surroundings(home: field.folder.path).merging(
        ["MUSTER_HOME": home.path, "PATH": "\(programs):/usr/bin:/bin"]) { $1 }
      let child = try Child(
        URL(filePath: "/bin/bash"),
        ["-c", script, "bash", try await completions(of: field)] + line,
        environment: environment, in: field.folder, name: "bash \(UUID())")
      let ended = try await child.end(within: .seconds(60))
      #expect(ended.status == 0 && ended.complaint.isEmpty, "\(ended)")
      return ended.output.split(separator: "\n").map(String.init)
    }

    private static func completions(of field: Field) async throws -> String {
      let path = field.path("completions.bash")
      if FileManager.default.fileExists(atPath: path) { return path }
      let child = try field.start(
        ["--generate-completion-script", "bash"], environment: [:], stays: false)
      return try field.file(
        "completions.bash", try await child.end(within: .seconds(60)).output)
    }
  }
}
