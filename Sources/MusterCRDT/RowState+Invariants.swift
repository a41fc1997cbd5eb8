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
    for entry in live {
      guard let bound = StrandBound(of: entry.field, role: entry.value.role) else { continue }
      let place = entry.place.log
      let kept =
        live.count { $0.field == entry.field && $0.place.log == place }
        + gone.count { $0.field == entry.field && $0.log == place }
      precondition(kept <= bound.most, "\(key) keeps \(kept) writes of a strand")
    }
    precondition(owner != nil || live.isEmpty, "\(key) has values without an origin")
  }
}
