import MusterModel
import Testing

@testable import MusterCRDT

/// The laws of the merge over every possible case with up to four frames on one row.
struct EverySmallHistoryTests {
  static let fields: [Field] = [
    .userCallsign, .userDeactivated, .reportExistence, .reportTitle, .reportToEvacuate,
    .reportComments, .reportPhotos, .reportPhotoMarks, .reportContentConfirmations,
    .fenceExistence, .fenceName, .fenceDeleted,
    .directiveDurationSeconds, .directiveZones, .directiveExpected, .userRelayedClaim,
    .permitRevoked, .alertAcknowledgements, .checkInExistence, .checkInReport,
    .recordValue, .exposureNote, .unverifiedCallExistence, .unverifiedCallContent,
    .unverifiedCallOutcome,
  ]

  @Test(
    "any sets and clears of three authors, in any order, give the specified row",
    arguments: fields)
  func oneField(_ field: Field) throws {
    // given a row, and three writes to one field by authors with different permissions
    let key = RowKey.row(of: field.entity)
    var letters = [
      Letter(key.creator, .sets(field)), Letter(key.creator, .clears(field)),
      Letter(.deputy, .clears(field)),
    ]
    if field != Field.existence(of: key.kind) {
      letters += [Letter(.stranger, .sets(field)), Letter(.stranger, .clears(field))]
    }
    // when each saw any part of the earlier writes, then all orders and losses agree
    try expectLaws(of: [[create(key)], letters, letters, letters], in: key)
  }

  @Test(
    "a log's own earlier writes, superseded without names, are gone in any order of arrival",
    arguments: fields)
  func ownEarlierWrites(_ field: Field) throws {
    let key = RowKey.row(of: field.entity)
    let letters = [
      Letter(key.creator, .sets(field)), Letter(key.creator, .sets(field).takingEarlier),
      Letter(key.creator, .clears(field).takingEarlier), Letter(.deputy, .clears(field)),
      Letter(.deputy, .sets(field).takingEarlier),
    ]
    try expectLaws(
      of: [[create(key)], letters, letters, letters], in: key, countsFrameInHand: true,
      restarts: true)
  }

  @Test("writes that supersede their own log's wait for the create as others do")
  func ownEarlierWritesBeforeTheOrigin() throws {
    let letters = [
      Letter(.owner, .sets(.reportTitle).takingEarlier),
      Letter(.owner, .sets(.reportTitle, givingOrigin: true)),
      Letter(.owner, .sets(.reportTitle, givingOrigin: true).takingEarlier),
      Letter(.owner, .clears(.reportTitle).takingEarlier),
      Letter(.commander, .clears(.reportTitle)),
    ]
    for names: [UInt64] in [[1, 2, 3], [3, 2, 1]] {
      try expectLaws(of: [letters, letters, letters], in: .report, names: names, restarts: true)
    }
  }

  @Test("writes that arrive before the create count as if they had arrived after it")
  func beforeTheOrigin() throws {
    // given creates in one write and in two, and urgent writes that repeat the origin
    let letters = [
      Letter(.owner, .sets(.reportTitle)),
      Letter(.commander, .sets(.reportTitle, givingOrigin: true)),
      Letter(.owner, .sets(.reportExistence, givingOrigin: true), .sets(.reportTitle)),
      Letter(.owner, .sets(.reportTitle), .sets(.reportToEvacuate, givingOrigin: true)),
      Letter(.commander, .clears(.reportTitle)),
      // a forged create: it is rejected, and yet names the row's owner
      Letter(.stranger, .sets(.reportExistence, givingOrigin: true), .sets(.reportTitle)),
    ]
    // when each is applied first, last and between, with a restart after each
    for (names, countsFrameInHand): ([UInt64], Bool) in [([1, 2, 3], true), ([3, 2, 1], false)] {
      try expectLaws(
        of: [letters, letters, letters], in: .report, names: names,
        countsFrameInHand: countsFrameInHand, restarts: true)
    }
  }

  @Test("creates, edits, urgent flags, comments and deletes mix in any order")
  func mixed() throws {
    let letters = [
      Letter(.owner, .sets(.reportTitle), .sets(.reportExistence)),
      Letter(.stranger, .sets(.reportTitle)),
      Letter(.owner, .sets(.reportToEvacuate, givingOrigin: true)),
      Letter(.commander, .clears(.reportToEvacuate)),
      Letter(.stranger, .sets(.reportComments)),
      Letter(.commander, .clears(.reportComments)),
      Letter(.owner, .clears(.reportExistence)),
    ]
    let create = Letter(
      .owner, .sets(.reportExistence, givingOrigin: true), .sets(.reportTitle))
    try expectLaws(of: [[create], letters, letters, letters], in: .report)
  }

  @Test("a dot named in the wrong field supersedes nothing, in any order")
  func wrongField() throws {
    // given writes that may name the dots of other fields
    let letters = [
      Letter(.owner, .sets(.reportTitle)),
      Letter(.commander, .sets(.reportComments)),
      Letter(.commander, .clears(.reportExistence)),
    ]
    var histories: [[WrittenFrame]] = [[]]
    for (place, letters) in [[create(.report)], letters, letters, letters].enumerated() {
      histories = histories.flatMap { history in
        everyFrame(
          spelling: letters, after: history, in: .report, name: [3, 1, 4, 2][place],
          sight: .everything
        ).map { history + [$0] }
      }
    }
    for history in histories {
      let expected = Specification(of: history, in: .report)
      var canonical: [UInt8]?
      // when they are applied in every order
      for order in history.permutations {
        var holder = Holder(.report)
        holder.receive(order)
        // then the visible state is the specified one, byte for byte
        let bytes = holder.row.canonical
        try #require(bytes == canonical ?? bytes, "\(order)")
        try #require(Specification(holder.row) == expected, "\(order)")
        canonical = bytes
      }
    }
  }

  private func create(_ key: RowKey) -> Letter {
    switch Field.existence(of: key.kind) {
    case let field?: Letter(key.creator, .sets(field, givingOrigin: true))
    case nil where key.kind == .record:
      Letter(key.creator, .sets(.recordValue, givingOrigin: true))
    case nil where key.kind == .exposure: Letter(key.creator, .sets(.exposureNote))
    case nil:
      Letter(key.creator, .sets(key.kind == .user ? .userTeam : .alertAcknowledgements))
    }
  }

  /// - Parameter names: the frames' hashes. Their order determines the order in which writes that
  ///   waited for the origin are applied.
  private func expectLaws(
    of lists: [[Letter]], in key: RowKey, names: [UInt64] = [2, 4, 1, 3],
    countsFrameInHand: Bool = false, restarts: Bool = false
  ) throws {
    let empty = Lattice(key, countsFrameInHand: countsFrameInHand, restarts: restarts)
    let count = try histories(growing: empty, by: lists[...], names: names)
    #expect(count > lists.map(\.count).reduce(1, *), "no write saw another")
  }

  /// Extends a lattice in every possible way.
  ///
  /// - Returns: the number of complete histories.
  private func histories(
    growing lattice: Lattice, by lists: ArraySlice<[Letter]>, names: [UInt64]
  ) throws -> Int {
    guard let letters = lists.first else { return 1 }
    var count = 0
    for frame in everyFrame(
      spelling: letters, after: lattice.frames, in: lattice.key, name: names[lattice.frames.count])
    {
      var grown = lattice
      if let breach = try grown.breach(byAdding: frame) {
        throw Breach(description: breach)
      }
      count += try histories(growing: grown, by: lists.dropFirst(), names: names)
    }
    return count
  }
}

/// A violated law, and the history that violates it.
private struct Breach: Error, CustomStringConvertible {
  let description: String
}
