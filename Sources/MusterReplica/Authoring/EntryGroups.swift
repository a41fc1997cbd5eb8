internal import MusterModel
internal import MusterSync

/// Groups of entries, each of which receivers apply as a whole or not at all.
///
/// A command is one group, except its long texts, which follow everything else: a call for
/// evacuation does not wait for its description.
struct EntryGroups: Sendable {
  /// Entries that receivers apply together, and the person or login they are written for.
  struct Group: Sendable {
    let operations: [Operation]
    let onBehalfOf: Principal?
  }

  /// The groups that are broadcast first.
  private(set) var leading: [Group] = []
  /// The groups that are written after all leading ones.
  private(set) var following: [Group] = []
  /// The person or login that is written for; nil for the own user.
  private let onBehalfOf: Principal?

  init(onBehalfOf principal: Principal? = nil) { onBehalfOf = principal }

  init(_ groups: [[Operation]]) {
    self.init()
    leading = groups.map(group)
  }

  var isEmpty: Bool { leading.isEmpty && following.isEmpty }

  private func group(_ operations: [Operation]) -> Group {
    Group(operations: operations, onBehalfOf: onBehalfOf)
  }

  var operations: some Sequence<Operation> { (leading + following).flatMap(\.operations) }

  /// The frames whose writes the entries supersede.
  var supersededFrames: Set<Bytes16> {
    var names: Set<Bytes16> = []
    for case .write(let write) in operations { names.formUnion(write.supersedes.map(\.frame)) }
    return names
  }

  /// Adds the writes of one command to a row.
  mutating func add(_ writes: [Write]) {
    guard writes.contains(where: \.isLongText) else { return lead(writes) }
    let rest = writes.filter { !$0.isLongText }
    guard !rest.allSatisfy(\.isExistence) else {
      // Nothing of it is urgent, and a row's existence takes no space beside another field.
      return following.append(group(writes.map(Operation.write)))
    }
    lead(rest)
    following += writes.filter(\.isLongText).map { group([.write($0)]) }
  }

  mutating func add(_ other: EntryGroups) {
    leading += other.leading
    following += other.following
  }

  /// Adds one group. The names of a large audience are added as groups before it: a row is shown
  /// once its existence is known.
  private mutating func lead(_ writes: [Write]) {
    let size = Limits.namesPerGroup
    guard writes.count > size else {
      if !writes.isEmpty { leading.append(group(writes.map(Operation.write))) }
      return
    }
    let names = writes.filter(\.isAudience)
    for first in stride(from: size, to: names.count, by: size) {
      leading.append(
        group(names[first..<min(first + size, names.count)].map(Operation.write)))
    }
    leading.append(
      group((writes.filter { !$0.isAudience } + names.prefix(size)).map(Operation.write)))
  }
}

extension Write {
  /// Whether it is a text of up to 16 KiB that is not urgent.
  fileprivate var isLongText: Bool { field == .reportDescription || field == .fenceProperties }

  fileprivate var isAudience: Bool { field == .directiveUsers || field == .directiveExpected }

  fileprivate var isExistence: Bool { field == Field.existence(of: field.entity) }
}
