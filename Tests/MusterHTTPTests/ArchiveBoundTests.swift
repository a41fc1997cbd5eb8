import Foundation
import MusterInterchange
import MusterModel
import Synchronization
import Testing

@testable import MusterHTTP

@Suite("Bounds of an archive's answers")
struct ArchiveBoundTests {
  private final class Running: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func add(_ change: Int, of agency: String) {
      counts.withLock { $0[agency, default: 0] += change }
    }

    func count(of agency: String) -> Int { counts.withLock { $0[agency] ?? 0 } }
  }

  @Test func `an agency queries with its share, and others with theirs`() async throws {
    let shares = AgencyShares(running: 2, open: 5)
    let running = Running()
    let (open, gate) = AsyncStream<Void>.makeStream()
    let (begun, started) = AsyncStream<String>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for agency in ["County", "County", "County", "County", "County", "Ministry"] {
        let place = try #require(shares.place(for: agency))
        group.addTask {
          try await shares.perform(at: place) {
            running.add(1, of: agency)
            started.yield(agency)
            for await _ in open { break }
            running.add(-1, of: agency)
          }
        }
      }
      // Given two requests of the County and one of the Ministry that query
      var names: [String] = []
      for await name in begun.prefix(3) { names.append(name) }
      #expect(names.sorted() == ["County", "County", "Ministry"])
      // Then a sixth request of the County is rejected,
      #expect(shares.place(for: "County") == nil)
      #expect(shares.place(for: "Ministry") != nil)
      // and each that ends lets one other begin.
      for _ in 0..<6 { gate.yield() }
      for await _ in begun.prefix(3) {
        #expect(running.count(of: "County") <= 2)
      }
      try await group.waitForAll()
    }
    // Their places are free again.
    #expect(shares.place(for: "County") != nil)
  }

  /// An archive whose reports have very long texts.
  private struct LongReports: OperationArchive {
    let count: Int
    let bytes: Int

    func id(_ number: Int) -> RowID { RowID(raw: Bytes16(high: 0, low: UInt64(number))) }

    func summaries<Summary: Decodable & Sendable>(
      of set: ArchivedSet, in operation: OperationID, _ selection: SummarySelection
    ) async throws -> [Summary] {
      guard case .page(let after, let limit) = selection else { return [] }
      let last = after.flatMap { Bytes16($0[...]) }.map { Int($0.low) + 1 } ?? 0
      return (last..<min(count, last + limit)).compactMap { number in
        ReportSummary(
          id: id(number), title: "Smoke", details: String(repeating: "x", count: bytes),
          category: .fire, severity: nil, position: Coordinate(latitude: 46, longitude: 14),
          toEvacuate: false, status: .open, owner: UserID(raw: .zero), ownerCallsign: "Ada",
          confirmations: [], comments: [], conflicts: [],
          delivery: Delivery(devices: 1, total: 1, commandPost: true),
          createdAt: Timestamp(milliseconds: 0), updatedAt: Timestamp(milliseconds: 0)) as? Summary
      }
    }

    func reader(withTokenHash hash: [UInt8]) -> ArchiveReader? { nil }
    func operations(_ ids: [OperationID]?) -> [ArchivedOperation] { [] }
    func names(of ids: [OperationID]?) -> [OperationID: String] { [:] }
    func find(_ search: ArchiveSearch) -> [ArchiveFinding] { [] }
    func track(
      of user: UserID, in operation: OperationID, from: Timestamp?, to: Timestamp?, limit: Int
    ) -> [Fix] { [] }
    func positions(in operation: OperationID, at time: Timestamp) -> [PastPosition] { [] }
    func photoSize(_ photo: PhotoID, in operation: OperationID) -> Int? { nil }
    func photoBytes(
      _ photo: PhotoID, in operation: OperationID, _ range: Range<Int>
    ) -> [UInt8] { [] }
  }

  private let operation = OperationID(raw: Bytes16(high: 1, low: 1))

  private func api(
    _ archive: LongReports, _ bounds: ArchiveAPI.Bounds = .init(page: 20_000, layer: 80_000)
  ) -> ArchiveAPI {
    ArchiveAPI(
      archive: archive, reader: ArchiveReader(agency: "County", operations: nil), bounds: bounds)
  }

  @Test func `pages of long rows are short, and together have each row once`() async throws {
    let archive = LongReports(count: 90, bytes: 2000)
    var (cursor, ids) = (String?.none, [String]())
    repeat {
      let page = try await api(archive).page(
        of: .reports, in: operation, after: cursor, limit: 1000)
      #expect(page.readableBytes < 60_000)
      let json = try JSON.read(Array(page.readableBytesView))
      guard case .array(let items)? = json.members?["items"] else { return #expect(Bool(false)) }
      ids += items.compactMap { $0.members?["id"]?.word }
      cursor = json.members?["next"]?.word
    } while cursor != nil
    #expect(ids == (0..<90).map { "\(archive.id($0))" })
  }

  @Test(arguments: [1, 2, 15, 16, 17, 39, 40, 41]) func `a page has its size, and the next follows`(
    limit: Int
  ) async throws {
    let archive = LongReports(count: 40, bytes: 10)
    var (cursor, ids) = (String?.none, [String]())
    repeat {
      let page = try await api(archive, .standard).page(
        of: .reports, in: operation, after: cursor, limit: limit)
      let json = try JSON.read(Array(page.readableBytesView))
      guard case .array(let items)? = json.members?["items"] else { return #expect(Bool(false)) }
      #expect(items.count == min(limit, 40 - ids.count))
      ids += items.compactMap { $0.members?["id"]?.word }
      cursor = json.members?["next"]?.word
    } while cursor != nil
    #expect(ids == (0..<40).map { "\(archive.id($0))" })
  }

  @Test func `a layer that is too large is refused, and not cut`() async throws {
    await #expect(throws: Problem.self) {
      try await api(LongReports(count: 90, bytes: 2000)).layer(
        of: .reports, in: operation, box: nil)
    }
    let small = try await api(LongReports(count: 40, bytes: 10)).layer(
      of: .reports, in: operation, box: nil)
    let features = try JSON.read(Array(small.readableBytesView)).members?["features"]
    guard case .array(let items)? = features else { return #expect(Bool(false)) }
    #expect(items.count == 40)
  }
}
