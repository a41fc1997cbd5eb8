import Foundation
import MusterModel
import Testing

@testable import MusterAmazon

/// The file of trackers, collections and associations.
@Suite struct `Settings of the service` {
  private static func tracker(tagged value: String) -> TrackerRecord {
    let tags = (0..<Resources.mostTags).map { ("\($0)", value) }
    return TrackerRecord(
      description: "", tags: Dictionary(uniqueKeysWithValues: tags), filtering: "TimeBased",
      usesEventBridge: false, allowsGeospatialQueries: false, consumers: [],
      createdAt: Timestamp(milliseconds: 0), updatedAt: Timestamp(milliseconds: 0))
  }

  @Test func `settings are kept until they take too much space`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "mr\(UInt32.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { print("\(error)") }
    }
    let store = try ResourceStore(in: folder.path)
    try store.change { $0.trackers["small"] = Self.tracker(tagged: "a") }
    let small = store.current
    let large = Self.tracker(tagged: String(repeating: "😀", count: 256))
    let fault = #expect(throws: ServiceFault.self) {
      try store.change { resources in
        for index in 0..<Resources.mostTrackers - 1 { resources.trackers["\(index)"] = large }
      }
    }
    #expect(fault?.kind == .quotaExceeded && fault?.status == 402)
    #expect(store.current == small)
    #expect(try ResourceStore(in: folder.path).current == small)
    try store.change { $0.forgetTracker("small") }
    #expect(try ResourceStore(in: folder.path).current == Resources())
  }
}
