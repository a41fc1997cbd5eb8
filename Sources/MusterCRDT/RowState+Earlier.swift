internal import MusterModel

/// Writes that supersede all earlier writes of their own log to the field without naming them.
///
/// The remembered state is a function of the set of writes: for each field and log the newest such
/// frame, either as a live value of it or in `overwritten`.
extension RowState {
  mutating func takeEarlier(in field: Field, than place: LogPosition, by author: Author) {
    var index = start(of: field)
    while index < live.endIndex, live[index].field == field {
      let isTaken =
        live[index].place.log == place.log && live[index].place.sequence < place.sequence
        && Permission.allowsSuperseding(field, valueOf: live[index].value.author, by: author)
      if isTaken { live.remove(at: index) } else { index += 1 }
    }
  }

  /// Whether a later frame of the same log, and therefore of the same author, has superseded the
  /// value written at this place.
  func isOverwritten(in field: Field, at place: LogPosition, by author: Author) -> Bool {
    guard field.kind != .addWinsSet || field == Field.existence(of: key.kind) else { return false }
    guard let newest = newestOverwriting(in: field, log: place.log), newest > place.sequence else {
      return false
    }
    return Permission.allowsSuperseding(field, valueOf: author.user, by: author)
  }

  /// Records the frame. Called when a frame that supersedes earlier writes is applied, and when a
  /// value of such a frame is superseded itself.
  mutating func remember(in field: Field, overwriting place: LogPosition) {
    let name = FieldLog(field: field, log: place.log)
    let live = newestLive(in: field, log: place.log)
    let known = max(overwritten[name] ?? 0, place.sequence)
    if let live, live >= known {
      if !overwritten.isEmpty { overwritten[name] = nil }
    } else {
      overwritten[name] = known
    }
  }

  private func newestOverwriting(in field: Field, log: UInt32) -> UInt32? {
    let live = newestLive(in: field, log: log)
    guard !overwritten.isEmpty, let known = overwritten[FieldLog(field: field, log: log)] else {
      return live
    }
    return max(live ?? 0, known)
  }

  /// Returns the newest frame of a log that superseded earlier writes to the field and has a live
  /// value there.
  private func newestLive(in field: Field, log: UInt32) -> UInt32? {
    var newest: UInt32?
    var index = start(of: field)
    while index < live.endIndex, live[index].field == field {
      if live[index].takesEarlier, live[index].place.log == log {
        newest = max(newest ?? 0, live[index].place.sequence)
      }
      index += 1
    }
    return newest
  }

  /// Whether the write supersedes earlier ones. In a set each element is separate, and is
  /// superseded by name.
  static func takesEarlier(_ write: Write) -> Bool {
    write.takesEarlier
      && (write.field.kind != .addWinsSet
        || write.field == Field.existence(of: write.field.entity))
  }

  /// Returns the index at which the values of a field begin, or would.
  private func start(of field: Field) -> Int {
    var (low, high) = (live.startIndex, live.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if live[middle].field < field { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A field and a log that wrote to it.
struct FieldLog: Hashable, Comparable, Sendable {
  let field: Field
  let log: UInt32

  static func < (left: FieldLog, right: FieldLog) -> Bool {
    left.field != right.field ? left.field < right.field : left.log < right.log
  }
}
