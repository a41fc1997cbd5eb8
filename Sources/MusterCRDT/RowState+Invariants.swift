internal import MusterModel

extension RowState {
  /// Traps when the row could not have come from applying writes.
  public func checkInvariants() {
    for (field, values) in live {
      precondition(field.entity == key.kind, "\(field) in a \(key.kind)")
      precondition(!values.isEmpty, "empty \(field) kept in \(key)")
      precondition(
        zip(values, values.dropFirst()).allSatisfy { $0.dot < $1.dot }, "\(field) not sorted")
      for value in values {
        precondition(field.accepts(value.value), "\(field) holds \(value.value)")
        precondition(
          awaited[FieldDot(field: field, dot: value.dot)]?.contains {
            Permission.allowsSuperseding(field, valueOf: value.author, by: $0)
          } != true, "\(value.dot) is live and superseded")
      }
    }
    precondition(owner == nil || waiting.isEmpty, "\(key) has its origin and still waits")
    precondition(owner != nil || live.isEmpty, "\(key) has values and no origin")
  }
}
