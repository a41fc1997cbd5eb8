internal import MusterCRDT
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Who confirmed a report, and whether they saw what it shows (decision 0107).
///
/// A person has one confirmation: that of their own device if there is one, else what another
/// device claims for them; of several the one that counts. It counts if it states the hashes of
/// what the report shows now, and if its author did not file the report.
struct ConfirmationReader {
  let context: ReadContext
  /// Read when the first confirmation is met.
  private var namesakes: Namesakes?

  init(context: ReadContext) { self.context = context }

  /// Returns the confirmations of a report, those that count first, then by name.
  mutating func confirmations(of row: RowState) throws(StoreError) -> [ReportConfirmation] {
    var chosen: [Writer: RowState.Confirmation] = [:]
    for confirmation in row.confirmations(in: context.local.operation) {
      guard let known = chosen[confirmation.value.writer] else {
        chosen[confirmation.value.writer] = confirmation
        continue
      }
      if confirmation.isShown(before: known) { chosen[confirmation.value.writer] = confirmation }
    }
    guard !chosen.isEmpty else { return [] }
    let names = try readNamesakes()
    var found: [(confirmation: ReportConfirmation, dot: Dot)] = []
    for (writer, chosen) in chosen {
      found.append(
        (
          ReportConfirmation(
            user: writer.person, authorship: try authorship(of: chosen.value, names),
            role: chosen.value.role, standing: chosen.standing), chosen.value.dot
        ))
    }
    return found.sorted { left, right in
      let (one, two) = (left.confirmation, right.confirmation)
      if (one.standing == .counts) != (two.standing == .counts) { return one.standing == .counts }
      return one.authorship.text != two.authorship.text
        ? one.authorship.text < two.authorship.text : left.dot < right.dot
    }.map(\.confirmation)
  }

  private mutating func readNamesakes() throws(StoreError) -> Namesakes {
    if let namesakes { return namesakes }
    let read = try context.namesakes()
    namesakes = read
    return read
  }

  private func authorship(
    of value: LiveValue, _ names: Namesakes
  ) throws(StoreError) -> Authorship {
    var authorship = try context.authorship(of: value)
    if authorship.through == nil {
      authorship.writtenBy = names.text(authorship.writtenBy, of: value.author)
    } else {
      authorship.through = names.text(try context.callsign(of: value.author), of: value.author)
      if case .person(let person) = value.writer {
        authorship.writtenBy = names.text(authorship.writtenBy, of: person)
      }
    }
    return authorship
  }
}

extension RowState {
  /// A confirmation of this report.
  struct Confirmation {
    let value: LiveValue
    let standing: ReportConfirmation.Standing

    /// Whether it is shown in place of another one of the same person.
    func isShown(before other: Confirmation) -> Bool {
      let (isOwn, isOtherOwn) = (value.onBehalfOf == nil, other.value.onBehalfOf == nil)
      if isOwn != isOtherOwn { return isOwn }
      if (standing == .counts) != (other.standing == .counts) { return standing == .counts }
      return value.dot < other.value.dot
    }
  }

  /// Returns every confirmation, in the order of dots, those without a content first.
  func confirmations(in operation: OperationID) -> [Confirmation] {
    let without = values(of: .reportConfirmations).map { Confirmation($0, of: self, isOf: false) }
    let stated = values(of: .reportContentConfirmations)
    guard !stated.isEmpty else { return without }
    let shown = Value.bytes(content(in: operation).encoded)
    return without + stated.map { Confirmation($0, of: self, isOf: $0.value == shown) }
  }

  /// What the report shows, as confirmations state it.
  func content(in operation: OperationID) -> ConfirmedContent {
    var position: Coordinate?
    if case .position(let place)? = shown(.reportPosition)?.value { position = place }
    let content = ReportContent(
      title: text(.reportTitle) ?? "",
      category: code(.reportCategory).flatMap(ReportCategory.init) ?? .other,
      severity: code(.reportSeverity), position: position, toEvacuate: isSet(.reportToEvacuate),
      details: text(.reportDescription) ?? "")
    return ConfirmedContent(of: content, operation: operation, row: key.id)
  }

  /// Whether a confirmation by this author would be one of their own report: by the person or login
  /// that filed it; or by a member's device for others, if its user filed it.
  func isOwn(writer: Writer, of author: UserID, _ role: Role) -> Bool {
    guard let owner, let creator else { return false }
    return writer == creator
      || (role != .command && author == owner && creator == .person(owner))
  }
}

extension RowState.Confirmation {
  fileprivate init(_ value: LiveValue, of row: RowState, isOf content: Bool) {
    let isOwn = row.isOwn(writer: value.writer, of: value.author, value.role)
    #if Canary
      let content = content || Canary.confirmAnyContent.isPlanted
    #endif
    self.init(
      value: value, standing: isOwn ? .ofOwnReport : content ? .counts : .ofEarlierContent)
  }
}

extension Writer {
  /// Nil for a login without a person.
  fileprivate var person: UserID? {
    if case .person(let user) = self { user } else { nil }
  }
}
