import Foundation
import Logging
import MusterModel
import MusterNode
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import Testing

@testable import MusterControl
@testable import MusterHTTP

@Suite(.timeLimit(.minutes(30))) struct `A running node's socket` {
  @Test func `every command reaches the node, and its reply the client`() async throws {
    let replies = Specimens.replies
    let node = ScriptedNode { command in
      let index = Specimens.commands.firstIndex(of: command) ?? 0
      return replies[index % replies.count]
    }
    try await withServer(node) { path in
      let client = ControlClient(path: path)
      for (index, command) in Specimens.commands.enumerated() {
        let found = try await patientReply(to: command, by: client)
        #expect(found == replies[index % replies.count])
      }
    }
    let received = await node.commands
    let changes = received.indices.filter { $0 == 0 || received[$0] != received[$0 - 1] }
    #expect(changes.map { received[$0] } == Specimens.commands)
  }

  /// Performs a command again if its connection was closed: the node ends one after a minute, and
  /// the process of a complete test run may stand still for longer.
  private func patientReply(to command: Command, by client: ControlClient) async throws -> Reply {
    for _ in 1...3 {
      do { return try await client.perform(command) } catch ControlFault.closed { continue }
    }
    return try await client.perform(command)
  }

  @Test func `only this user can connect`() async throws {
    try await withServer(ScriptedNode()) { path in
      let socket = try permissions("\(path)")
      let folder = try permissions(("\(path)" as NSString).deletingLastPathComponent)
      #expect(socket == 0o600)
      #expect(folder == 0o700)
    }
  }

  @Test func `a folder that other users can access is rejected`() async throws {
    let folder = TemporaryFolder()
    let path = try folder.socketPath()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/run", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    await #expect(throws: ControlFault.self) {
      try await runServer(at: path, in: folder)
    }
  }

  @Test func `without a node no connection is made`() async throws {
    let folder = TemporaryFolder()
    let client = ControlClient(path: try folder.socketPath())
    await #expect(throws: ControlFault.notListening) { try await client.perform(.status) }
  }

  @Test func `the socket of a node that died is replaced, and removed at the end`() async throws {
    let folder = TemporaryFolder()
    let path = try folder.socketPath()
    try folder.makeRun()
    try abandonSocket(at: path)
    await #expect(throws: ControlFault.notListening) {
      try await ControlClient(path: path).perform(.status)
    }
    try await withServer(ScriptedNode(), in: folder) { path in
      let found = try await ControlClient(path: path).perform(.status)
      #expect(found == .done)
    }
    #expect(!FileManager.default.fileExists(atPath: "\(path)"))
  }

  @Test func `a file at the path that is not a socket is not removed`() async throws {
    let folder = TemporaryFolder()
    let path = try folder.socketPath()
    try folder.makeRun()
    try Data("precious".utf8).write(to: URL(fileURLWithPath: "\(path)"))
    await #expect(throws: ControlFault.self) {
      try await runServer(at: path, in: folder)
    }
    let found = try Data(contentsOf: URL(fileURLWithPath: "\(path)"))
    #expect(found == Data("precious".utf8))
  }

  @Test func `a path too long for the system is rejected with its length`() throws {
    let home = "/" + String(repeating: "x", count: 120)
    #expect {
      try ControlSocketPath(home + "/run/muster.sock")
    } throws: { "\($0)".contains("137 bytes") }
    #expect(throws: ControlFault.self) { try ControlSocketPath("run/muster.sock") }
  }

  @Test func `other bytes are rejected, and the next client is served`() async throws {
    let node = ScriptedNode()
    try await withServer(node) { path in
      let answer = try await exchange(Self.post("\u{7F}\u{7F}"), with: path)
      #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("malformed"))
      let found = try await ControlClient(path: path).perform(.users)
      #expect(found == .done)
    }
    #expect(await node.commands == [.users])
  }

  @Test func `a request of another form, or too long, changes nothing`() async throws {
    let node = ScriptedNode()
    try await withServer(node) { path in
      let wrong = [
        (405, Self.post("", method: "GET")), (415, Self.post("", type: "application/x-protobuf")),
        (413, Self.post(String(repeating: "x", count: ControlLimits.requestBytes + 1))),
        (403, Self.post("", more: "Origin: http://evil.example\r\n")),
        (403, Self.post("", host: "evil.example")), (404, Self.post("", path: "/api/v1/command")),
      ]
      for (status, request) in wrong {
        let answer = try await exchange(request, with: path)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(300))")
      }
    }
    #expect(await node.commands.isEmpty)
  }

  @Test func `programs can use the API on it as on a loopback address`() async throws {
    try await withServer(ScriptedNode()) { path in
      let answer = try await exchange(
        "GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        with: path)
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("\"callsign\":\"Anna\""))
    }
  }

  private static func post(
    _ body: String, method: String = "POST", type: String = CommandExchange.mediaType,
    host: String = "localhost", path: String = CommandExchange.path, more: String = ""
  ) -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\(more)"
      + "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  @Test func `a command that is too long is not sent`() async throws {
    try await withServer(ScriptedNode()) { path in
      let text = String(repeating: "x", count: ControlLimits.requestBytes)
      await #expect(throws: ControlFault.self) {
        try await ControlClient(path: path).perform(.commentReport("0a1b", text: text))
      }
    }
  }

  @Test func `a server of another kind is distinguished from no server`() async throws {
    let folder = TemporaryFolder()
    let path = try folder.socketPath()
    try folder.makeRun()
    let answers: [(String, ControlFault)] = [
      ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", .unexpected),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", .unexpected),
      ("\u{0}\u{0}\u{0}\u{2}ok", .unexpected), ("", .closed),
      (
        "HTTP/1.1 200 OK\r\nContent-Type: \(CommandExchange.mediaType)\r\n"
          + "Content-Length: 9\r\n\r\nok", .closed
      ),
      (
        "HTTP/1.1 503 No\r\nContent-Type: application/problem+json\r\n"
          + "Content-Length: 20\r\n\r\n{\"detail\":\"not now\"}", .declined("not now")
      ),
    ]
    for (answer, fault) in answers {
      try await withImpostor(at: path, saying: answer) {
        await #expect(throws: fault, "\(answer)") {
          try await ControlClient(path: path).perform(.status)
        }
      }
    }
  }

  // MARK: Following

  @Test func `a follower receives earlier and new events`() async throws {
    let node = ScriptedNode()
    try await withServer(node) { path in
      try await withThrowingTaskGroup { group in
        let (received, receiver) = AsyncStream.makeStream(of: [CrossingSummary].self)
        group.addTask {
          try await ControlClient(path: path).follow(after: 7) { receiver.yield($0) }
          receiver.finish()
        }
        await node.waitForFollower()
        await node.send([Specimens.crossing(8)])
        await node.send([Specimens.crossing(9), Specimens.crossing(10)])
        await node.stop()
        var batches: [[CrossingSummary]] = []
        for await batch in received { batches.append(batch) }
        #expect(batches.flatMap { $0 }.map(\.arrival) == [8, 9, 10])
        #expect(await node.followedAfter == [7])
        try await group.waitForAll()
      }
    }
  }

  @Test func `a follower that disconnects is detected without events`() async throws {
    let node = ScriptedNode()
    try await withServer(node) { path in
      let follower = Task { try await ControlClient(path: path).follow(after: nil) { _ in } }
      await node.waitForFollower()
      follower.cancel()
      _ = await follower.result
      await node.waitForNoFollower()
      let found = try await ControlClient(path: path).perform(.status)
      #expect(found == .done)
    }
  }

  @Test func `the queue of a follower that does not read is bounded, and the newest is sent`()
    async throws
  {
    let sent: Int64 = 20_000
    let node = ScriptedNode()
    try await withServer(node) { path in
      let received = Mutex<[Int64]>([])
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let (release, all) = AsyncStream.makeStream(of: Void.self)
      let follower = Task {
        try await ControlClient(path: path).follow(after: nil) { batch in
          received.withLock { $0 += batch.map(\.arrival) }
          begin.finish()
          for await _ in release {}
        }
      }
      await node.waitForFollower()
      await node.send([Specimens.crossing(1)])
      for await _ in begun {}
      for number in 2...sent { await node.send([Specimens.crossing(number)]) }
      await node.stop()
      all.finish()
      try await follower.value
      let numbers = received.withLock { $0 }
      #expect(numbers.last == sent && numbers == numbers.sorted())
      #expect(numbers.count < sent / 2, "\(numbers.count) waited")
    }
  }

  @Test func `shutdown completes a command and ends the streams`() async throws {
    let node = ScriptedNode(holdsVerify: true)
    try await withServer(node, stop: .byTest) { path, stop in
      try await withThrowingTaskGroup { group in
        group.addTask { try await ControlClient(path: path).follow(after: nil) { _ in } }
        group.addTask {
          let found = try await ControlClient(path: path).perform(.verify)
          #expect(found == .done)
        }
        await node.waitForFollower()
        await node.waitForVerify()
        stop()
        await node.waitForNoFollower()
        await node.finishVerify()
        try await group.waitForAll()
      }
    }
  }
}
