internal import MusterModel

extension RowState {
  /// Traps if the row cannot be the result of applying writes.
  public func checkInvariants() {
    precondition(
      zip(live, live.dropFirst()).allSatisfy {
        ($0.field, $0.value.dot) < ($1.field, $1.value.dot)
      }, "\(key) is not sorted")
    for entry in live {
      let (field, value) = (entry.field, entry.value)
      precondition(field.entity == key.kind, "\(field) in a \(key.kind)")
      precondition(field.accepts(value.value), "\(field) holds \(value.value)")
    }
    precondition(owner == nil || waiting == 0, "\(key) has its origin and waiting writes")
    precondition(
      zip(gone, gone.dropFirst()).allSatisfy { $0 < $1 }, "\(key) has gone writes out of order")
    var kept: [Strand: Int] = [:]
    for entry in live { kept[Strand(field: entry.field, log: entry.place.log), default: 0] += 1 }
    for write in gone { kept[Strand(field: write.field, log: write.log), default: 0] += 1 }
    for entry in live {
      guard let bound = StrandBound(of: entry.field, role: entry.value.role) else { continue }
      let count = kept[Strand(field: entry.field, log: entry.place.log)] ?? 0
      precondition(count <= bound.most, "\(key) keeps \(count) writes of a strand")
    }
    precondition(owner != nil || live.isEmpty, "\(key) has values without an origin")
  }
}

/// The writes of one strand to a field.
private struct Strand: Hashable {
  let field: Field
  let log: UInt32
}
