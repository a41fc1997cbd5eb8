import Foundation
import Logging
import MusterModel
import MusterNode
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

@testable import MusterControl

@Suite(.timeLimit(.minutes(1))) struct `A running node's socket` {
  @Test func `every command reaches the node, and its answer comes back`() async throws {
    let replies = Specimens.replies
    let node = ScriptedNode { command in
      let index = Specimens.commands.firstIndex(of: command) ?? 0
      return replies[index % replies.count]
    }
    try await withServer(node) { path in
      let client = ControlClient(path: path)
      for (index, command) in Specimens.commands.enumerated() {
        let found = try await client.perform(command)
        #expect(found == replies[index % replies.count])
      }
    }
    #expect(await node.commands == Specimens.commands)
  }

  @Test func `only this user can reach it`() async throws {
    try await withServer(ScriptedNode()) { path in
      let socket = try permissions("\(path)")
      let folder = try permissions(("\(path)" as NSString).deletingLastPathComponent)
      #expect(socket == 0o600)
      #expect(folder == 0o700)
    }
  }

  @Test func `a folder that others can get at is refused`() async throws {
    let folder = TemporaryFolder()
    let path = try folder.socketPath()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/run", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    await #expect(throws: ControlFault.self) {
      try await ControlServer(path: path, performer: ScriptedNode(), logger: .silent).run()
    }
  }

  @Test func `without a node there is nobody to ask`() async throws {
    let folder = TemporaryFolder()
    let client = ControlClient(path: try folder.socketPath())
    await #expect(throws: ControlFault.notListening) { try await client.perform(.status) }
  }

  @Test func `the socket of a node that died is replaced, and taken away at the end`() async throws
  {
    let folder = TemporaryFolder()
    let path = try folder.socketPath()
    try folder.makeRun()
    try await abandonSocket(at: path)
    await #expect(throws: ControlFault.notListening) {
      try await ControlClient(path: path).perform(.status)
    }
    try await withServer(ScriptedNode(), in: folder) { path in
      let found = try await ControlClient(path: path).perform(.status)
      #expect(found == .done)
    }
    #expect(!FileManager.default.fileExists(atPath: "\(path)"))
  }

  @Test func `a file in the way that is no socket is left alone`() async throws {
    let folder = TemporaryFolder()
    let path = try folder.socketPath()
    try folder.makeRun()
    try Data("precious".utf8).write(to: URL(fileURLWithPath: "\(path)"))
    await #expect(throws: ControlFault.self) {
      try await ControlServer(path: path, performer: ScriptedNode(), logger: .silent).run()
    }
    let found = try Data(contentsOf: URL(fileURLWithPath: "\(path)"))
    #expect(found == Data("precious".utf8))
  }

  @Test func `a path too long for the system is refused with its length`() throws {
    let home = "/" + String(repeating: "x", count: 120)
    #expect {
      try ControlSocketPath(home + "/run/muster.sock")
    } throws: { "\($0)".contains("137 bytes") }
    #expect(throws: ControlFault.self) { try ControlSocketPath("run/muster.sock") }
  }

  @Test func `bytes that are no command are refused, and the next client is served`() async throws {
    try await withServer(ScriptedNode()) { path in
      let channel = try await rawConnection(to: path)
      let answer = try await channel.executeThenClose { inbound, outbound -> [UInt8]? in
        try await outbound.write([0xFF, 0xFF])
        for try await message in inbound { return message }
        return nil
      }
      guard case .refused(let reason, _) = try Response(decoding: try #require(answer)).reply else {
        Issue.record("it was not refused")
        return
      }
      #expect(reason.contains("malformed"))
      let found = try await ControlClient(path: path).perform(.users)
      #expect(found == .done)
    }
  }

  @Test func `a command too long is not even sent`() async throws {
    try await withServer(ScriptedNode()) { path in
      let text = String(repeating: "x", count: ControlLimits.requestBytes)
      await #expect(throws: ControlFault.self) {
        try await ControlClient(path: path).perform(.commentReport("0a1b", text: text))
      }
    }
  }

  @Test func `one connection carries several requests in order`() async throws {
    let node = ScriptedNode { command in
      if case .report(let id) = command { return .refused(id) }
      return .done
    }
    try await withServer(node) { path in
      let channel = try await rawConnection(to: path)
      let answers = try await channel.executeThenClose { inbound, outbound -> [Reply] in
        for number in 0..<5 {
          try await outbound.write(Request.command(.report("\(number)")).encoded())
        }
        var answers: [Reply] = []
        for try await message in inbound {
          answers.append(try Response(decoding: message).reply)
          if answers.count == 5 { break }
        }
        return answers
      }
      #expect(answers == (0..<5).map { .refused("\($0)") })
    }
  }

  // MARK: Following

  @Test func `a follower hears what was there and what comes`() async throws {
    let node = ScriptedNode()
    try await withServer(node) { path in
      try await withThrowingTaskGroup { group in
        let (heard, hears) = AsyncStream.makeStream(of: [CrossingSummary].self)
        group.addTask {
          try await ControlClient(path: path).follow(after: 7) { hears.yield($0) }
          hears.finish()
        }
        await node.waitForFollower()
        await node.tell([Specimens.crossing(8)])
        await node.tell([Specimens.crossing(9), Specimens.crossing(10)])
        await node.stop()
        var batches: [[CrossingSummary]] = []
        for await batch in heard { batches.append(batch) }
        #expect(batches.flatMap { $0 }.map(\.arrival) == [8, 9, 10])
        #expect(await node.followedAfter == [7])
        try await group.waitForAll()
      }
    }
  }

  @Test func `a follower that goes away is noticed though nothing happens`() async throws {
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

  @Test func `shutdown lets a command finish and sends followers away`() async throws {
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
