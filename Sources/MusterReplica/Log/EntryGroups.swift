internal import MusterModel
internal import MusterSync

/// Entries in groups that receivers each apply as a whole or not at all.
///
/// A command is one group, but for long texts, which follow all else: a call for evacuation does
/// not wait for its description.
struct EntryGroups: Sendable {
  /// What is broadcast first.
  private(set) var leading: [[Operation]] = []
  /// What is written after all that is leading.
  private(set) var following: [[Operation]] = []

  init() {}

  init(_ groups: [[Operation]]) { leading = groups }

  var operations: some Sequence<Operation> { (leading + following).joined() }

  /// Adds what one command writes to a row.
  mutating func add(_ writes: [Write]) {
    guard writes.contains(where: \.isLongText) else { return lead(writes) }
    let rest = writes.filter { !$0.isLongText }
    guard !rest.allSatisfy(\.isExistence) else {
      // Nothing of it is urgent, and a row's existence takes no room beside another field of it.
      return following.append(writes.map(Operation.write))
    }
    lead(rest)
    following += writes.filter(\.isLongText).map { [.write($0)] }
  }

  mutating func add(_ other: EntryGroups) {
    leading += other.leading
    following += other.following
  }

  /// Adds one group, but for the names of a large audience, which come in groups before it: a row
  /// is shown from its existence on.
  private mutating func lead(_ writes: [Write]) {
    let size = Limits.namesPerGroup
    guard writes.count > size else {
      if !writes.isEmpty { leading.append(writes.map(Operation.write)) }
      return
    }
    let names = writes.filter(\.isAudience)
    for first in stride(from: size, to: names.count, by: size) {
      leading.append(names[first..<min(first + size, names.count)].map(Operation.write))
    }
    leading.append(
      (writes.filter { !$0.isAudience } + names.prefix(size)).map(Operation.write))
  }
}

extension Write {
  /// Up to 16 KiB that no one waits for.
  fileprivate var isLongText: Bool { field == .reportDescription || field == .fenceProperties }

  fileprivate var isAudience: Bool { field == .directiveUsers || field == .directiveExpected }

  fileprivate var isExistence: Bool { field == Field.existence(of: field.entity) }
}
