import Foundation
import MusterModel
import MusterTestKit
import Testing

@testable import MusterAmazon

/// Names, tokens and registered devices of Cognito Sync.
@Suite struct `Requests of Cognito Sync` {
  private static let user = UserID(raw: Bytes16(high: 1, low: 1))
  private static let other = UserID(raw: Bytes16(high: 2, low: 2))
  private static let now = Timestamp(milliseconds: 1_700_000_000_000)

  @Test func `each operation has a route of its own`() throws {
    for operation in SyncOperation.allCases {
      let (method, path) = operation.route
      var filled = path
      for name in ["pool", "identity", "dataset", "device"] {
        filled = filled.replacing("{\(name)}", with: "muster%3A\(name)")
      }
      #expect(SyncOperation.owns(filled) && AmazonService(filled)?.signingName == "cognito-sync")
      let found = try SyncOperation.find(method: method, path: filled)
      #expect(found.operation == operation)
      #expect(found.names.allSatisfy { $0.value == "muster:\($0.key)" })
    }
    for path in ["/identitypool", "/identitypoolsx", "/api/v1/users", "/"] {
      #expect(!SyncOperation.owns(path))
    }
  }

  @Test func `names are those that the service accepts`() throws {
    for name in ["muster:0a-f", "eu-west-1:00000000-0000-0000-0000-000000000000"] {
      #expect(try SyncIdentity.checked(name, "IdentityId") == name)
    }
    for name in ["", "muster", ":0", "muster:", "a:b:c", "muster:G", "mus ter:0", "é:0"] {
      #expect(throws: ServiceFault.self) { try SyncIdentity.checked(name, "IdentityId") }
    }
  }

  @Test func `a token belongs to one data set of one user, for an hour`() throws {
    let token = SyncToken.session(Self.user, "notes", now: Self.now)
    try SyncToken.requireSession(token, Self.user, "notes", now: Self.now)
    let late = Timestamp(milliseconds: Self.now.milliseconds + 3_600_001)
    for (user, dataset, now) in [
      (Self.other, "notes", Self.now), (Self.user, "lists", Self.now), (Self.user, "notes", late),
    ] {
      let fault = #expect(throws: ServiceFault.self) {
        try SyncToken.requireSession(token, user, dataset, now: now)
      }
      #expect(fault?.syncType == "InvalidParameterException" && fault?.syncStatus == 400)
    }
    let position = RecordIndexPosition(
      syncCount: 7, row: RowID(raw: Bytes16(high: 3, low: 4)))
    let page = SyncToken.page(Self.user, "notes", after: position)
    #expect(try SyncToken.position(page, Self.user, "notes") == position)
    for text in [token, "x", "", "cGFnZQ=="] {
      #expect(throws: ServiceFault.self) { try SyncToken.position(text, Self.user, "notes") }
    }
  }

  @Test func `a device is registered once, and the oldest makes room`() throws {
    let folder = try TemporaryFolder()
    let devices = try SyncDevices(in: folder.url.path)
    let first = try devices.register(Self.user, platform: "GCM", token: "0")
    #expect(try devices.register(Self.user, platform: "GCM", token: "0") == first)
    try devices.change(first, of: Self.user) { $0.insert("notes") }
    #expect(try SyncDevices(in: folder.url.path).follows(first, "notes") == true)
    #expect(devices.datasets(ofToken: "0") == ["notes"])
    #expect(throws: ServiceFault.self) {
      try devices.change(first, of: Self.other) { $0.insert("lists") }
    }
    let foreign = try devices.register(Self.other, platform: "GCM", token: "0")
    for number in 1...SyncDevices.mostPerUser {
      _ = try devices.register(Self.user, platform: "ADM", token: "\(number)")
    }
    #expect(devices.follows(first, "notes") == nil && devices.follows(foreign, "notes") == false)
  }

  @Test func `requests that arrive during a piece of work share the next one`() async throws {
    let work = GroupedWork<Int, Int>()
    let (started, begin) = AsyncStream<Void>.makeStream()
    let (released, release) = AsyncStream<Void>.makeStream()
    let (groups, note) = AsyncStream<[Int]>.makeStream()
    let perform: GroupedWork<Int, Int>.Work = { numbers in
      note.yield(numbers)
      if numbers == [0] {
        begin.yield()
        for await _ in released { break }
      }
      return numbers.map { $0 * 10 }
    }
    try await withThrowingTaskGroup(of: Bool.self) { tasks in
      tasks.addTask { try await work.perform(0, by: perform) == 0 }
      for await _ in started { break }
      for number in 1...8 {
        tasks.addTask { try await work.perform(number, by: perform) == number * 10 }
      }
      while work.waiting < 8 { await Task.yield() }
      release.yield()
      for try await isAnswered in tasks { #expect(isAnswered) }
    }
    note.finish()
    var seen: [[Int]] = []
    for await group in groups { seen.append(group.sorted()) }
    #expect(seen == [[0], Array(1...8)])
  }
}
