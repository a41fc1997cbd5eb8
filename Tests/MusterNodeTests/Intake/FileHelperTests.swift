import Foundation
import MusterTestKit
import Testing

@testable import MusterNode

extension TemporaryFolder {
  /// Writes a script that stands in for a helper, and returns its path.
  func program(_ script: String) throws -> String {
    let draft = url.appending(path: "draft")
    let file = url.appending(path: "helper")
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: draft)
    // Another process writes the program: children that other tests start meanwhile inherit the
    // descriptors of this one, and a program that is open for writing cannot be started (ETXTBSY).
    let copy = try Process.run(
      URL(filePath: "/usr/bin/install"), arguments: ["-m", "755", draft.path, file.path])
    copy.waitUntilExit()
    return file.path
  }
}

/// `muster-file`, and scripts in its place that misbehave.
@Suite(.timeLimit(.minutes(30))) struct `A file of a stranger` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func fault(
    _ script: String, patience: Duration = .seconds(60)
  ) throws -> String? {
    let database = ForeignDatabase(
      .bytes([1]), program: try folder.program(script), patience: patience)
    let error = #expect(throws: ForeignFileFault.self) { try database.rows("SELECT 1", limit: 1) }
    return error?.description
  }

  @Test(arguments: [
    // It ends before its answer, or in the middle of a piece or of a row.
    "head -c 5 <&1 >/dev/null", "kill -9 $$",
    #"printf '\0\0\0\5\1\2\0\0'; kill -9 $$"#, #"printf '\0\0\0\0\1\0\0\0\3\1\2\0'; exit 0"#,
    // What is no piece: another tag, a length beyond the limit, a column that is cut off.
    #"printf '\0\0\0\0\11'; sleep 60"#, #"printf '\377\377\377\377\1'; sleep 60"#,
    #"printf '\0\0\0\5\1\2\0\0\0\7'; sleep 60"#, #"printf '\0\0\0\1\2x'; sleep 60"#,
    // More columns than names, and more rows than were asked for.
    #"printf '\0\0\0\0\1\0\0\0\1\1\0'; sleep 60"#,
    #"printf '\0\0\0\0\1\0\0\0\0\1\0\0\0\0\1'; sleep 60"#,
  ])
  func `a helper that is stopped or answers wrongly is an error that states what to do`(
    act: String
  ) throws {
    let fault = try fault("echo mfiles1 >&1; \(act)")
    #expect(fault?.contains("muster-file stopped") == true, "\(fault ?? "")")
    #expect(fault?.contains("copy it again, or convert it") == true)
  }

  @Test func `a helper that is silent is given up`() throws {
    let fault = try fault("echo mfiles1; sleep 600", patience: .seconds(1))
    // On a slow computer, the script itself may not have started within the time.
    #expect(fault?.contains("within 30 s") == true || fault?.contains("does not start") == true)
  }

  @Test func `a system that permits no confinement, and a program that is missing, are named`()
    throws
  {
    #expect(try fault("exit 71")?.contains("give up its rights") == true)
    #expect(try fault("exit 127")?.contains("does not start: install Muster again") == true)
    let error = #expect(throws: ForeignFileFault.self) {
      try Inflater(program: "/absent/muster-file").inflated([3, 0], limit: 9)
    }
    #expect(error?.description.contains("/absent/muster-file is missing") == true)
  }

  @Test func `content beyond the limit is not kept, whatever the helper sends`() throws {
    let inflater = Inflater(
      program: try folder.program(#"echo mfiles1; printf '\0\0\0\12\2aaaaaaaaaa'; sleep 60"#))
    #expect(throws: ForeignFileFault.self) { try inflater.inflated([3, 0], limit: 9) }
  }

  @Test func `a text of the helper is one line, without what a terminal obeys`() throws {
    let fault = try fault(#"echo mfiles1; printf '\0\0\0\6\3a\n\033[2J'; sleep 60"#)
    #expect(fault?.contains("\n") == false && fault?.contains("\u{1B}") == false)
  }

  @Test func `each file is read by its own process, which has given up its rights`() throws {
    let inflater = Inflater()
    // "abc", as one stored block.
    let stored: [UInt8] = [1, 3, 0, 0xFC, 0xFF, 97, 98, 99]
    #expect(try inflater.inflated(stored[...], limit: 3) == Array("abc".utf8))
    #expect(throws: ForeignFileFault.self) { try inflater.inflated(stored[...], limit: 2) }
    #expect(throws: ForeignFileFault.self) { try inflater.inflated(stored[..<6], limit: 9) }
    let first = try #require(inflater.helper.pid)
    let other = Inflater()
    #expect(try other.inflated(stored[...], limit: 3).count == 3)
    #expect(other.helper.pid != first)
    #if os(Linux)
      let status = try String(contentsOfFile: "/proc/\(first)/status", encoding: .utf8)
      // 2: a filter of system calls
      #expect(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"))
      let limits = try String(contentsOfFile: "/proc/\(first)/limits", encoding: .utf8)
      #expect(limits.contains(/Max file size +0 +0/))
      #expect(limits.contains(/Max open files +3 +3/))
      #expect(limits.contains(/Max cpu time +60 +60/))
      #expect(!limits.contains(/Max address space +unlimited/))
    #endif
    // One that was ended is replaced.
    kill(first, SIGKILL)
    #expect(try inflater.inflated(stored[...], limit: 3).count == 3)
  }

  @Test func `what is no database is named by SQLite`() throws {
    for bytes in [[], [1, 2, 3], [UInt8](repeating: 7, count: 9000)] {
      let database = ForeignDatabase(.bytes(bytes))
      let error = #expect(throws: ForeignFileFault.self) {
        try database.rows("SELECT name FROM sqlite_schema", limit: 1)
      }
      #expect(error?.description.contains("stopped") == false, "\(error?.description ?? "")")
    }
  }
}
