import ArgumentParser
import GRDB
import MusterModel
import MusterReplica
import MusterStore

/// Single writes, each acknowledged once it is on disk.
struct CommitBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "commit",
    abstract: "Single local writes beside bare SQLite commits of the same bytes.",
    discussion: "Both with a write-ahead log and synchronous=FULL, one write of each in turn; "
      + "medians of rounds.")

  @Option(help: "Writes in a round.")
  var writes = 500

  @Option var rounds = 5

  func run() throws {
    try withScratchFolder { folder in
      var mesh = try Mesh(seed: 5, founderAt: folder + "/muster.sqlite")
      _ = try mesh.at(0) { try $0.write(ReportRequests.add(Workload.report(0)), now: $1) }
      let bare = try BareStore(path: folder + "/bare.sqlite")
      var (ours, theirs): ([Double], [Double]) = ([], [])
      for round in 0..<max(1, rounds) {
        progress("commit: round \(round + 1) of \(rounds)")
        var (mine, bareTime) = (0.0, 0.0)
        // One of each in turn: what else the disk does meets both alike.
        for index in 0..<writes {
          mine += try timed {
            _ = try mesh.at(0) { try $0.write(ReportRequests.add(Workload.report(index)), now: $1) }
          }.elapsed.wallSeconds
          bareTime += try timed { try bare.write() }.elapsed.wallSeconds
        }
        ours.append(mine / Double(writes) * 1e6)
        theirs.append(bareTime / Double(writes) * 1e6)
      }
      try Measurement(
        bench: "commit", value: ours.median, unit: "µs", limit: theirs.median,
        note: "a report of \(Workload.operationsPerReport) fields, sealed, signed, applied and "
          + "acknowledged, by the clock; limit: SQLite keeps as many bytes in two rows"
      ).print()
    }
  }
}

/// A database of two tables, which hold what a frame and a report's state take.
private struct BareStore {
  private let queue: DatabaseQueue
  private static let frameBytes = 300
  private static let stateBytes = 600

  init(path: String) throws {
    queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode=WAL")
      try database.execute(sql: "PRAGMA synchronous=FULL")
      try database.execute(
        sql: "CREATE TABLE frames(place INTEGER PRIMARY KEY, body BLOB);"
          + "CREATE TABLE rows(place INTEGER PRIMARY KEY, state BLOB)")
    }
  }

  func write() throws {
    try queue.write { database in
      try database.cachedStatement(sql: "INSERT INTO frames(body) VALUES (zeroblob(?))")
        .execute(arguments: [Self.frameBytes])
      try database.cachedStatement(sql: "INSERT INTO rows(state) VALUES (zeroblob(?))")
        .execute(arguments: [Self.stateBytes])
    }
  }
}
