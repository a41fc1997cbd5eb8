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
      precondition(
        awaited[FieldDot(field: field, dot: value.dot)]?.contains {
          Permission.allowsSuperseding(field, valueOf: value.author, by: $0)
        } != true, "\(value.dot) is live and superseded")
    }
    precondition(owner == nil || waiting.isEmpty, "\(key) has its origin and waiting writes")
    precondition(owner != nil || live.isEmpty, "\(key) has values without an origin")
  }
}
