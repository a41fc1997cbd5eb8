internal import MusterCRDT
public import MusterModel
internal import MusterStore

/// Marks on photos: elements of a set in the report's row, so that concurrent drawings merge.
extension Replica {
  /// Draws a mark over a photo of a report; command and members. A mark on a photo that is removed
  /// is no longer shown.
  public mutating func addMark(
    _ mark: PhotoMark, to id: RowID, now: ClockReading
  ) throws -> Outcome {
    try require(.command, .member)
    let state = try settled(.report, id, now: now)
    try PhotoMarks(in: state).admit(mark, by: local.author)
    var composer = Composer(state, origin: nil)
    composer.insert(.reportPhotoMarks, .bytes(mark.encoded()))
    return try write(composer.writes, lane: state.lane, now: now)
  }

  /// Removes a mark; its author and command.
  ///
  /// - Parameter reference: its id, or at least four of its digits.
  public mutating func removeMark(
    _ reference: String, of id: RowID, now: ClockReading
  ) throws -> Outcome {
    try require(.command, .member)
    let state = try settled(.report, id, now: now)
    let dot = try PhotoMarks(in: state).removable(reference, by: local.author)
    var composer = Composer(state, origin: nil)
    composer.remove(.reportPhotoMarks, [dot])
    return try write(composer.writes, lane: state.lane, now: now)
  }
}
