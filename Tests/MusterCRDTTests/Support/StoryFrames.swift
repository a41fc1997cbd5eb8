import MusterModel

/// Frames of one write to the report of these tests, unless another row is named.
extension WrittenFrame {
  /// The owner's create of the report.
  static let create = WrittenFrame(
    100, by: .owner, sets: .reportExistence, to: .mark, givingOrigin: true)

  /// The commander's create of the fence.
  static let fenceCreate = WrittenFrame(
    101, by: .commander, sets: .fenceExistence, to: .mark, givingOrigin: true)

  /// The commander's create of the directive.
  static let directiveCreate = WrittenFrame(
    102, by: .commander, sets: .directiveExistence, to: .mark, givingOrigin: true)

  init(
    _ number: UInt64, by author: Author, sets field: Field, to value: Value?,
    over seen: WrittenFrame..., givingOrigin: Bool = false
  ) {
    let key = RowKey.row(of: field.entity)
    self.init(
      number, by: author,
      [
        Write(
          row: key.id, field: field, value: value,
          supersedes: seen.flatMap { $0.dots(of: field) },
          origin: givingOrigin ? key.origin : nil)
      ])
  }

  init(_ number: UInt64, by author: Author, clears field: Field, over seen: WrittenFrame...) {
    self.init(
      number, by: author,
      [
        Write(
          row: RowKey.row(of: field.entity).id, field: field, value: nil,
          supersedes: seen.flatMap { $0.dots(of: field) })
      ])
  }
}
