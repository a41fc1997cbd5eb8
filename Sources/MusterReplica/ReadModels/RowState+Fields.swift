internal import MusterCRDT
internal import MusterModel

/// The value that is shown of a field, if it has the expected form.
extension RowState {
  func text(_ field: Field) -> String? {
    guard case .text(let text)? = shown(field)?.value else { return nil }
    return text
  }

  func code(_ field: Field) -> UInt8? {
    guard case .code(let code)? = shown(field)?.value else { return nil }
    return code
  }

  func number(_ field: Field) -> UInt32? {
    guard case .number(let number)? = shown(field)?.value else { return nil }
    return number
  }

  /// Returns the rows that the live values of a field name, each once, by id.
  func references(in field: Field) -> [RowID] {
    let found = values(of: field).compactMap { value -> RowID? in
      if case .reference(let row) = value.value { row } else { nil }
    }
    return Set(found).sorted()
  }

  /// Returns the people that the live values of a field name.
  func users(in field: Field) -> Set<UserID> {
    Set(references(in: field).map { UserID(raw: $0.raw) })
  }
}
