import Dispatch
import Foundation
import MusterCRDT
import MusterModel
import MusterTestKit
import Synchronization
import Testing

@testable import MusterStore

@Suite("Snapshots")
struct SnapshotTests {
  /// What a snapshot read, from another thread.
  private final class Reading: Sendable {
    private let title = Mutex<[RowState?]>([])
    private let ended = DispatchSemaphore(value: 0)

    func end(_ read: () throws -> RowState?) {
      do {
        let row = try read()
        title.withLock { $0.append(row) }
      } catch {
        Issue.record(error)
      }
      ended.signal()
    }

    func wait() -> [RowState?] {
      ended.wait()
      return title.withLock { $0 }
    }
  }

  @Test func `read their moment beside later commits`() throws {
    let folder = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    var scribe = Scribe(1)
    _ = try store.commit(
      batch(scribe.opened(), scribe.writing(report(7, by: scribe.author, title: "Smoke"))))
    let before = try store.row(reportKey(7))
    let (reading, isCommitted) = (Reading(), DispatchSemaphore(value: 0))
    store.withSnapshot { snapshot in
      isCommitted.wait()
      reading.end { try snapshot.get().row(reportKey(7)) }
    }
    _ = try store.commit(batch(scribe.writing([title(7, "Fire")])))
    isCommitted.signal()
    #expect(reading.wait() == [before])
    #expect(try store.row(reportKey(7)) != before)
    try store.close()
  }

  @Test(arguments: [true, false])
  func `write nothing`(isOnDisk: Bool) throws {
    let folder = try TemporaryFolder()
    let store =
      isOnDisk ? try Store.open(path: folder.database(), seal: seal) : try Store.inMemory()
    let fault = Mutex<StoreError?>(nil)
    let ended = DispatchSemaphore(value: 0)
    store.withSnapshot { snapshot in
      var change = Batch()
      change.local["counter"] = [4]
      do {
        _ = try snapshot.get().commit(change)
      } catch let error as StoreError {
        fault.withLock { $0 = error }
      } catch {
        Issue.record(error)
      }
      ended.signal()
    }
    ended.wait()
    #expect(fault.withLock { $0 } != nil)
    #expect(try store.local("counter") == nil)
    try store.close()
  }

  @Test func `do not keep the write-ahead log from being restarted`() throws {
    let folder = try TemporaryFolder()
    let store = try Store.open(path: folder.database(), seal: seal)
    var scribe = Scribe(1)
    _ = try store.commit(batch(scribe.opened()))
    func logBytes() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: folder.database() + "-wal")[.size] as? Int
    }
    #expect(try logBytes() != 0)
    // A snapshot that is being read: the log is restarted once it has ended.
    let (began, reading) = (DispatchSemaphore(value: 0), Reading())
    store.withSnapshot { snapshot in
      began.signal()
      reading.end { try snapshot.get().row(reportKey(7)) }
    }
    began.wait()
    try store.shortenLog(beyond: 0)
    #expect(try logBytes() == 0)
    #expect(reading.wait() == [nil])
    try store.close()
  }
}
