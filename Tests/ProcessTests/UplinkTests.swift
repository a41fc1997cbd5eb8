import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// A command post that others reach over HTTPS only.
  @Suite struct UplinkTests {
    /// Starts Anna's node as a command post, on fixed ports.
    private func post(_ anna: Laptop, https: UInt16, udp: UInt16 = 0) async throws -> RunningNode {
      let node = try await anna.run(on: udp, "--serve", "127.0.0.1:\(https)")
      try await eventually("Anna's node accepts uplinks") {
        try await anna.ask("status")["uplink"]["serves"] == .string("127.0.0.1:\(https)")
      }
      return node
    }

    /// On another address, so that no stored address leads to the command post.
    private func away(_ laptop: Laptop, to https: UInt16..., more: [String] = []) async throws
      -> RunningNode
    {
      let words = https.flatMap { ["--uplink", "https://127.0.0.1:\($0)"] } + more
      let child = try laptop.begin(
        ["run", "--listen", "127.0.0.1:0", "--no-multicast", "--no-http"] + words, stays: true)
      try await eventually("\(laptop.name)'s node accepts commands") {
        if !child.isRunning {
          throw Failed("\(laptop.name): \(try await child.end(within: .zero))")
        }
        return try child.complaints.contains("listening on UDP port")
      }
      return RunningNode(child: child, port: 0)
    }

    private func isUp(_ laptop: Laptop) async throws {
      do {
        try await eventually("\(laptop.name)'s uplink is connected") {
          try await laptop.ask("status")["uplink"]["state"] == .string("up")
        }
      } catch {
        throw Failed("\(error): \(try await laptop.ask("status")["uplink"])")
      }
    }

    private func titles(_ laptop: Laptop) async throws -> Set<String> {
      Set(try await laptop.ask("report", "list").items.compactMap(\.["title"].text))
    }

    private func hasMark(_ laptop: Laptop, _ title: String) async throws -> Bool {
      try await laptop.ask("report", "list").items.contains {
        $0["title"].text == title && $0["delivery"]["commandPost"] == .bool(true)
      }
    }

    /// Anna with a published certificate, and Ben who has received it; both nodes stopped.
    private func meet(_ field: Field, https: UInt16) async throws -> (anna: Laptop, ben: Laptop) {
      let anna = try await field.founder("Anna")
      let post = try await post(anna, https: https)
      let ben = try await field.joiner("Ben", inviting: anna)
      let node = try await ben.run(peers: [post])
      try await inStep(anna, ben)
      try await eventually("Ben holds what Anna holds") {
        let frames = try await anna.ask("status")["frames"]
        return try await ben.ask("status")["frames"] == frames
      }
      try await node.stop()
      try await post.stop()
      return (anna, ben)
    }

    @Test func `an uplink carries both directions, breaks, and reconnects`() async throws {
      let https = try FreePort.next()
      try await Field.run { field in
        let (anna, ben) = try await meet(field, https: https)
        // Given Ben, who is away and gets no answer
        let node = try await away(ben, to: https)
        try await ben.send("report", "add", "--title", "Before")
        try await eventually("Ben sees the reason") {
          let post = try await ben.ask("status")["uplink"]["posts"][0]
          return post["state"] == .string("down")
            && post["lastError"] == .string("connection refused")
            && post["advice"].text?.contains("--serve") == true
        }
        // When the command post is there, then both converge, and Ben sees the mark
        var post = try await post(anna, https: https)
        try await isUp(ben)
        try await anna.send("report", "add", "--title", "Order")
        try await eventually("both have both") {
          let (here, there) = (try await titles(anna), try await titles(ben))
          return here == ["Before", "Order"] && there == here
        }
        try await eventually("command post ✓") { try await hasMark(ben, "Before") }
        let listed = try await anna.send("login", "list")
        #expect(listed.contains("fingerprint of the certificate for uplinks"))
        #expect(listed.contains("fingerprint of the certificate for browsers"))
        let (atPost, away) = (try await anna.ask("status"), try await ben.ask("status"))
        #expect(atPost["uplink"]["guests"] == .number(1))
        #expect(away["peers"][0]["address"] == .string("uplink"))
        // When it stops, and Ben continues to write
        try await post.stop()
        try await ben.send("report", "add", "--title", "Meanwhile")
        try await eventually("Ben sees that it is disconnected") {
          try await ben.ask("status")["uplink"]["state"] == .string("down")
        }
        // Then his report arrives when the command post is back
        post = try await self.post(anna, https: https)
        try await eventually("Anna has it") { try await titles(anna).contains("Meanwhile") }
        try await node.stop()
        try await post.stop()
        try await anna.requireSound()
        try await ben.requireSound()
      }
    }

    @Test func `a laptop carries the mesh's data to the command post, and new data back`()
      async throws
    {
      let https = try FreePort.next()
      try await Field.run { field in
        let (anna, ben) = try await meet(field, https: https)
        let host = try await post(anna, https: https)
        let cleo = try await field.joiner("Cleo", inviting: anna)
        // Given Cleo, who reaches only Ben, and Ben, who is offline
        var mule = try await ben.run()
        let node = try await cleo.run(peers: [mule])
        try await cleo.send("report", "add", "--title", "From Cleo")
        try await anna.send("report", "add", "--title", "From Anna")
        try await eventually("Ben carries it") { try await titles(ben).contains("From Cleo") }
        try await mule.stop()
        try await node.stop()
        // When he has been online for a while, and returns
        mule = try await away(ben, to: https)
        try await eventually("Anna has it") { try await titles(anna).contains("From Cleo") }
        try await eventually("Ben sees the mark") { try await hasMark(ben, "From Cleo") }
        try await mule.stop()
        try await host.stop()
        mule = try await ben.run()
        let again = try await cleo.run(peers: [mule])
        // Then Cleo has what Anna wrote, and sees that Anna has hers, many hops away
        try await eventually("Cleo has it") { try await titles(cleo).contains("From Anna") }
        try await eventually("Cleo sees the mark") { try await hasMark(cleo, "From Cleo") }
        try await again.stop()
        try await mule.stop()
      }
    }

    @Test func `a server of another operation is not taken for the command post`() async throws {
      let https = try FreePort.next()
      try await Field.run { field in
        let (anna, ben) = try await meet(field, https: https)
        let mallory = try await field.founder("Mallory", of: "Another flood")
        let trap = try await post(mallory, https: https)
        let node = try await away(ben, to: https)
        try await ben.send("report", "add", "--title", "Ours")
        try await eventually("Ben sees the error") {
          let post = try await ben.ask("status")["uplink"]["posts"][0]
          return post["state"] == .string("down")
            && post["lastError"].text?.contains("certificate") == true
        }
        let (status, reports) = (
          try await mallory.ask("status"), try await mallory.ask("report", "list")
        )
        #expect(status["uplink"]["guests"] == .number(0))
        #expect(reports == .array([]))
        // Nothing is lost once the right one is reachable.
        try await trap.stop()
        let post = try await post(anna, https: https)
        try await eventually("Anna has it") { try await titles(anna) == ["Ours"] }
        try await node.stop()
        try await post.stop()
      }
    }

    @Test func `a node without a certificate reports it, and connects once it has one`()
      async throws
    {
      let https = try FreePort.next()
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        var host = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        try await host.stop()
        let node = try await away(ben, to: https)
        try await eventually("Ben reports it") {
          try await ben.ask("status")["uplink"]["state"] == .string("noCertificate")
        }
        try await node.stop()
        // When the certificate arrives through the mesh
        host = try await post(anna, https: https)
        let both = try await ben.run(
          peers: [host], "--uplink", "https://127.0.0.1:\(https)")
        try await isUp(ben)
        try await both.stop()
        try await host.stop()
      }
    }

    @Test func `two simultaneous command posts converge`() async throws {
      let first = try FreePort.next()
      let second = try FreePort.next()
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        var one = try await post(anna, https: first)
        let dora = try await field.joiner("Dora", inviting: anna, role: "command")
        let ben = try await field.joiner("Ben", inviting: anna)
        var two = try await dora.run(peers: [one], "--serve", "127.0.0.1:\(second)")
        var node = try await ben.run(peers: [one, two])
        try await inStep(anna, dora, ben)
        try await eventually("Ben holds what Dora holds") {
          let frames = try await dora.ask("status")["frames"]
          return try await ben.ask("status")["frames"] == frames
        }
        for running in [node, two, one] { try await running.stop() }
        // Given two that are partitioned from each other
        one = try await post(anna, https: first)
        two = try await dora.run("--serve", "127.0.0.1:\(second)")
        node = try await away(ben, to: first, second)
        try await anna.send("report", "add", "--title", "At Anna's")
        try await dora.send("report", "add", "--title", "At Dora's")
        try await ben.send("report", "add", "--title", "At Ben's")
        try await inStep(anna, dora, ben) { $0["reports"] == .number(3) }
        for running in [node, two, one] { try await running.stop() }
      }
    }

    @Test func `an uplink passes through a proxy, and a missing proxy is reported`() async throws {
      let https = try FreePort.next()
      let proxyPort = try FreePort.next()
      try await Field.run { field in
        let (anna, ben) = try await meet(field, https: https)
        let post = try await post(anna, https: https)
        let node = try await away(
          ben, to: https, more: ["--proxy", "http://mia:secret@127.0.0.1:\(proxyPort)"])
        try await eventually("Ben sees the proxy error") {
          let post = try await ben.ask("status")["uplink"]["posts"][0]
          return post["lastError"].text?.contains("by the proxy 127.0.0.1:\(proxyPort)") == true
        }
        let proxy = try ConnectProxy(port: proxyPort, password: "mia:secret")
        defer { proxy.end() }
        try await eventually("the proxy listens") { try proxy.listens }
        try await isUp(ben)
        try await ben.send("report", "add", "--title", "By proxy")
        try await eventually("Anna has it") { try await titles(anna) == ["By proxy"] }
        try await node.stop()
        try await post.stop()
      }
    }

    @Test func `a command post without a certificate for browsers still accepts uplinks`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let https = try FreePort.next()
        let first = try await self.post(anna, https: https)
        try await first.stop()
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o640],
          ofItemAtPath: anna.home.appending(path: "keys/browser.tls").path)
        let second = try await self.post(anna, https: https)
        let listed = try await anna.send("login", "list")
        #expect(listed.contains("fingerprint of the certificate for uplinks"))
        #expect(!listed.contains("for browsers"))
        try await second.stop()
      }
    }

    @Test func `a member serves phones, and is no command post`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let host = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        let node = try await ben.run(on: 0, "--serve", "127.0.0.1:\(try FreePort.next())")
        try await eventually("Ben's node serves phones") {
          try await ben.send("login", "list").contains("fingerprint of the certificate")
        }
        #expect(try await ben.ask("status")["uplink"]["serves"].text ?? "" == "")
        try await node.stop()
        for words in [
          ["--uplink", "http://127.0.0.1:1"], ["--uplink", "127.0.0.1:1"],
          ["--proxy", "socks5://127.0.0.1:1"], ["--serve", "7443"],
        ] {
          let refused = try await ben.attempt(["run"] + words)
          #expect(refused.status != 0, "\(words): \(refused)")
        }
        try await host.stop()
      }
    }
  }
}

/// A minimal proxy with `CONNECT` and a password, as a Python program.
private struct ConnectProxy {
  private let process: Process
  private let words = Pipe()

  private static let program = """
    import base64, socket, socketserver, sys, threading
    password = base64.b64encode(sys.argv[2].encode()).decode()
    \(PythonRelay.source)
    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            verb, where, _ = self.rfile.readline().decode().split()
            headers = {}
            while (line := self.rfile.readline().decode().strip()):
                name, value = line.split(":", 1)
                headers[name.lower()] = value.strip()
            if verb != "CONNECT":
                return self.wfile.write(b"HTTP/1.1 405 No\\r\\ncontent-length: 0\\r\\n\\r\\n")
            if headers.get("proxy-authorization") != "Basic " + password:
                return self.wfile.write(b"HTTP/1.1 407 Who?\\r\\ncontent-length: 0\\r\\n\\r\\n")
            host, port = where.rsplit(":", 1)
            with socket.create_connection((host, int(port))) as other:
                self.wfile.write(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
                relay(self.connection, other)
    server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
    print("listening", flush=True)
    server.serve_forever()
    """

  /// Returns whether it listens; throws if it has ended.
  var listens: Bool {
    get throws {
      guard process.isRunning else { throw Failed("the proxy ended: its port may be taken") }
      var said = pollfd(
        fd: words.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      return poll(&said, 1, 0) == 1
    }
  }

  init(port: UInt16, password: String) throws {
    process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", Self.program, "\(port)", password]
    process.standardOutput = words
    try process.run()
  }

  /// Ends it by the one signal that a process cannot ignore.
  func end() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
