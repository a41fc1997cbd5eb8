import Foundation
import MusterModel
import MusterStore
import MusterTestKit
import Testing

@testable import MusterReplica
@testable import MusterSync

@Suite("Delivery figures and the command post's receipts")
struct DeliveryTests {
  /// The comparable part of a delivery figure.
  private struct Mark: Hashable {
    var devices: Int
    var commandPost: Bool
  }

  private func delivery(
    of id: RowID, at name: String, in valley: inout Valley
  ) throws -> Mark {
    let found = try valley.ask(name) { replica, _ in try replica.queries.report(id) }.delivery
    return Mark(devices: found.devices, commandPost: found.commandPost)
  }

  /// Waits until a node shows this delivery status of a report.
  private func expect(
    _ expected: Mark, of id: RowID, at name: String, within milliseconds: Int64,
    in valley: inout Valley
  ) throws {
    var seen: Mark?
    let elapsed = try valley.wait(upTo: milliseconds) { valley in
      seen = try delivery(of: id, at: name, in: &valley)
      return seen == expected
    }
    #expect(elapsed != nil, "\(name) sees \(String(describing: seen)), seed \(valley.seed)")
  }

  @Test func `the far end of a chain sees the receipt of the command post`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo", "Dora")
    valley.lineUp("Ada", "Ben", "Cleo", "Dora")
    // Sessions between nodes that are no longer in range time out.
    try valley.run(milliseconds: 60_000)

    let id = try valley.at("Dora") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke", toEvacuate: true)), now: $1)
    }
    #expect(
      try delivery(of: id, at: "Dora", in: &valley) == Mark(devices: 1, commandPost: false))

    // Cleo confirms it directly, Ada over several hops by her receipt, Ben to others.
    try expect(
      Mark(devices: 3, commandPost: true), of: id, at: "Dora", within: 30_000, in: &valley)
    #expect(try delivery(of: id, at: "Ada", in: &valley).commandPost)
  }

  @Test func `a device learns who holds what it has just written`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    valley.cut(["Ben"], ["Ada", "Cleo"])
    let before = try valley.ask("Ben") { replica, _ in replica.queries.writtenThrough() }
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: ""), now: $1) }
    let written = Set(try valley.ask("Ben") { replica, _ in replica.queries.writtenThrough() })
      .subtracting(before)
    #expect(written.count == 1)
    func delivery() throws -> Delivery {
      try valley.ask("Ben") { try $0.queries.delivery(through: Array(written), now: $1) }
    }
    #expect(try delivery().devices == 1 && !delivery().commandPost)
    valley.heal()
    let elapsed = try valley.wait(upTo: 60_000) { valley in
      let found = try valley.ask("Ben") {
        try $0.queries.delivery(through: Array(written), now: $1)
      }
      return found.commandPost && found.devices == 3
    }
    #expect(elapsed != nil)
  }

  /// A hub between two that are not in range of each other: the author always counts as a holder.
  @Test(arguments: ["Ben", "Cleo"])
  func `the author of a report counts as a holder on every device`(
    author: String
  ) throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    valley.lineUp("Ben", "Ada", "Cleo")
    try valley.run(milliseconds: 60_000)
    let id = try valley.at(author) {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.converge()

    let other = author == "Ben" ? "Cleo" : "Ben"
    for name in ["Ada", other] {
      try expect(Mark(devices: 3, commandPost: true), of: id, at: name, within: 30_000, in: &valley)
    }
  }

  @Test func `devices in range of one another show one figure while positions change`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    for turn in 0..<20 {
      let place = Int64(turn)
      for name in valley.names {
        try valley.at(name) {
          try $0.ingest(fix(metresNorth: place * 40, second: place * 10), now: $1)
        }
      }
      try valley.run(milliseconds: 500)
    }
    for name in valley.names {
      let found = try valley.ask(name) { try $0.queries.report(id, now: $1) }.delivery
      #expect(found.text.hasPrefix("on 3 of 3 devices · command post ✓ · "), "\(name): \(found)")
    }
  }

  @Test func `a revoked device counts neither as a holder nor in the total`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.converge()
    try expect(Mark(devices: 3, commandPost: true), of: id, at: "Ada", within: 30_000, in: &valley)

    let cleo = try valley.ask("Cleo") { replica, _ in replica.core.local.device }
    try valley.at("Ada") { try $0.revoke(cleo, now: $1) }

    let found = try valley.ask("Ada") { replica, _ in try replica.queries.report(id) }.delivery
    #expect(found.devices == 2 && found.total == 2)
  }

  @Test func `a device behind a partition keeps counting for what it held, and no more`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let old = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Old")), now: $1)
    }
    try valley.converge()
    try expect(
      Mark(devices: 3, commandPost: true), of: old, at: "Ben", within: 30_000, in: &valley)

    valley.cut(["Ben"], ["Ada", "Cleo"])
    let new = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "New")), now: $1)
    }
    try valley.run(milliseconds: 20_000)

    #expect(
      try delivery(of: old, at: "Ben", in: &valley) == Mark(devices: 3, commandPost: true))
    #expect(
      try delivery(of: new, at: "Ben", in: &valley) == Mark(devices: 1, commandPost: false))

    // When it is edited, the new text is not delivered yet
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(old, ReportChanges(severity: 5)), now: $1)
    }
    #expect(
      try delivery(of: old, at: "Ben", in: &valley) == Mark(devices: 1, commandPost: false))

    valley.heal()
    for id in [old, new] {
      try expect(
        Mark(devices: 3, commandPost: true), of: id, at: "Ben", within: 60_000, in: &valley)
    }
  }

  @Test func `the receipt survives restarts of the reader and of the command post`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try expect(
      Mark(devices: 2, commandPost: true), of: id, at: "Ben", within: 30_000, in: &valley)
    let counter = try newestReceipt(at: "Ada", in: &valley).order.counter
    try valley.run(milliseconds: Limits.stagingMilliseconds)

    valley.cut(["Ada"], ["Ben"])
    try valley.restart("Ben")
    try valley.restart("Ada")
    try valley.run(milliseconds: 30_000)

    #expect(
      try delivery(of: id, at: "Ben", in: &valley) == Mark(devices: 2, commandPost: true))
    #expect(
      try newestReceipt(at: "Ada", in: &valley).order.counter == counter,
      "nothing changed, so nothing was sent again")
  }

  private func newestReceipt(at name: String, in valley: inout Valley) throws -> LatestRecord {
    let records = try valley.ask(name) { replica, _ in try replica.queries.latestRecords() }
    return try #require(
      records.filter { $0.kind == .receipt }.max { $0.order < $1.order })
  }

  @Test func `a command post restored from an older backup withdraws its receipt`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try valley.run(milliseconds: 20_000)
    // Given a backup of the command post's disk
    try valley.switchOff("Ada")
    let backup = folder.database("backup")
    try FileManager.default.copyItem(atPath: folder.database("Ada"), toPath: backup)
    try valley.switchOn("Ada")
    try valley.converge()
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try expect(
      Mark(devices: 2, commandPost: true), of: id, at: "Ben", within: 30_000, in: &valley)
    let before = try newestReceipt(at: "Ben", in: &valley)

    // When it is restored, while no peer is in reach
    try valley.switchOff("Ada")
    let old = valley.laptops[0]
    valley.laptops[0] = Valley.Laptop(
      name: "Ada", endpoint: old.endpoint, credentials: old.credentials, path: backup,
      store: old.store)
    valley.cut(["Ada"], ["Ben"])
    try valley.switchOn("Ada", start: .startsIncarnation(above: 1))

    // Then what it no longer holds is not receipted, whatever an earlier incarnation signed
    let log = try #require(before.receipt?.log)
    try valley.at("Ada") { replica, now in
      try replica.transact(now: now) { replica in
        replica.core.transaction.batch.records.append(before)
        try replica.core.commit(now: now)
        _ = replica.core.engine.handle(.recorded([before]), now: now)
        replica.core.takeOwnReceipt(before, now: now)
      }
    }
    try valley.run(milliseconds: 10_000)
    let taken = try newestReceipt(at: "Ada", in: &valley)
    #expect(taken.order > before.order)
    #expect(taken.receipt?.log == log)
    #expect(taken.receipt?.head?.sequence ?? 0 < before.receipt?.head?.sequence ?? 0)

    // And it is receipted again once it has arrived again
    valley.heal()
    try valley.converge()
    try expect(
      Mark(devices: 2, commandPost: true), of: id, at: "Ben", within: 30_000, in: &valley)
    #expect(try newestReceipt(at: "Ben", in: &valley).order.generation == 2)
  }

  @Test func `a lower receipt withdraws the delivery everywhere`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    for name in ["Ben", "Cleo"] {
      try expect(
        Mark(devices: 3, commandPost: true), of: id, at: name, within: 30_000, in: &valley)
    }
    try publish(by: "Ada", in: &valley) { Receipt(log: $0.log, head: nil) }
    try valley.run(milliseconds: 2000)
    for name in ["Ben", "Cleo"] {
      #expect(try !delivery(of: id, at: name, in: &valley).commandPost)
    }
  }

  @Test func `a receipt for another branch has no effect`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try expect(
      Mark(devices: 2, commandPost: true), of: id, at: "Ben", within: 30_000, in: &valley)
    try publish(by: "Ada", in: &valley) { receipt in
      let head = receipt.head.map {
        Head(log: $0.log, sequence: $0.sequence, hash: FrameHash(raw: .zero))
      }
      return Receipt(log: receipt.log, head: head)
    }
    try valley.run(milliseconds: 2000)
    #expect(try !delivery(of: id, at: "Ben", in: &valley).commandPost)
  }

  @Test func `receipts that a member signs are rejected`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    valley.cut(["Ada"], ["Ben", "Cleo"])
    let id = try valley.at("Cleo") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.run(milliseconds: 20_000)
    let log = try #require(
      try valley.ask("Ben") { replica, _ in
        try replica.core.store.positions(
          ofFrames: try replica.core.store.row(RowKey(kind: .report, id: id))?
            .dots(of: .reportTitle).map(\.frame) ?? []
        ).first?.log
      })
    try valley.at("Ben") { replica, now in
      let head = replica.core.engine.head(of: log)
      let record = LatestRecord.receipt(
        Receipt(log: log, head: head), operation: replica.core.local.operation,
        certificate: replica.core.local.certificate.hash,
        order: RecordOrder(
          generation: 1, incarnation: replica.core.own.writer.incarnation, counter: 1 << 60),
        signedBy: replica.core.local.signingKey)
      return try replica.transact(now: now) { replica in
        replica.core.transaction.batch.records.append(record)
        try replica.core.commit(now: now)
        try replica.core.run(.recorded([record]), now: now)
      }
    }
    try valley.run(milliseconds: 5000)
    #expect(try !delivery(of: id, at: "Cleo", in: &valley).commandPost)
    #expect(valley.laptops[valley.index("Cleo")].rejections.contains("forged"))
  }

  /// Lets a commander sign another receipt than its newest.
  private func publish(
    by name: String, in valley: inout Valley, _ change: (Receipt) -> Receipt
  ) throws {
    let newest = try newestReceipt(at: name, in: &valley)
    let receipt = change(try #require(newest.receipt))
    try valley.at(name) { replica, now in
      try replica.transact(now: now) { replica in
        let order = replica.core.own.nextRecordOrder()
        let record = LatestRecord.receipt(
          receipt, operation: replica.core.local.operation,
          certificate: replica.core.local.certificate.hash,
          order: order,
          signedBy: replica.core.local.signingKey)
        replica.core.transaction.batch.records.append(record)
        try replica.core.commit(now: now)
        try replica.core.run(.recorded([record]), now: now)
      }
    }
  }
}
