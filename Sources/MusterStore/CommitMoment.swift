internal import GRDB
internal import MusterModel

/// The moment of a commit (`RowChange.moment`): this node's wall clock, but later than that of any
/// earlier commit. It is determined by the first change of a row.
struct CommitMoment {
  private var wall: Timestamp?
  private var milliseconds: Int64?
  /// That of the commit before; nil until it is read.
  private var previous: Int64?

  /// Begins a commit.
  ///
  /// - Parameter wall: nil if the time is not known.
  mutating func begin(at wall: Timestamp?) {
    previous = milliseconds ?? previous
    milliseconds = nil
    self.wall = wall
  }

  mutating func read(in database: Database) throws -> Int64 {
    if let milliseconds { return milliseconds }
    let previous = try previous ?? RowChangeTable.newestMoment(database)
    let read = max(wall?.milliseconds ?? 0, previous + 1)
    milliseconds = read
    return read
  }
}
