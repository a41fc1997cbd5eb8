import Foundation
import MusterTestKit
import Testing

/// No secret in a log, a file for others, a process list or an error: every feature that has one is
/// used once, at the most detailed log level.
extension ProcessTests {
  @Suite struct SecretTests {
    /// The secrets of a test, each with the forms in which a program could print it.
    private struct Secrets {
      private(set) var forms: [(name: String, text: String)] = []

      mutating func add(_ name: String, _ text: String) throws {
        guard text.utf8.count >= 6 else { throw Failed("no \(name)") }
        forms.append((name, text))
        let bytes = Array(text.utf8)
        forms.append((name + " in base64", Data(bytes).base64EncodedString()))
        forms.append((name + " in decimal", Self.decimal(bytes[...])))
      }

      /// Any 24 bytes of it are secret.
      mutating func add(_ name: String, bytes: [UInt8]) throws {
        guard bytes.count >= 24 else { throw Failed("no \(name)") }
        for start in stride(from: 0, through: bytes.count - 24, by: 4) {
          let part = bytes[start..<start + 24]
          forms.append((name + " in decimal", Self.decimal(part)))
          forms.append((name + " in hex", part.map { String(format: "%02x", $0) }.joined()))
        }
        forms.append((name + " in base64", Data(bytes).base64EncodedString()))
      }

      private static func decimal(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { "\($0)" }.joined(separator: ", ")
      }

      /// The names of those that a text has.
      func found(in text: String) -> Set<String> {
        Set(forms.filter { text.contains($0.text) }.map(\.name))
      }
    }

    /// Logs a phone in over TLS, once with a wrong passphrase. Prints the value of its cookie and
    /// its secret for tracker apps.
    private static let phone = """
      import http.client, json, ssl, sys
      port, name, passphrase = int(sys.argv[1]), sys.argv[2], open(sys.argv[3]).read().strip()
      context = ssl._create_unverified_context()
      def ask(method, path, body=None, headers={}):
          line = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=30)
          headers = {**headers, **({"content-type": "application/json"} if body else {})}
          line.request(method, path, json.dumps(body) if body else None, headers)
          answer = line.getresponse()
          return answer, answer.read().decode()
      session = "/api/v1/session"
      answer, body = ask("POST", session, {"name": name, "passphrase": passphrase + "?"})
      assert answer.status == 401, (answer.status, body)
      answer, _ = ask("POST", session, {"name": name, "passphrase": passphrase})
      assert answer.status == 204, answer.status
      cookie = answer.getheader("set-cookie").split(";")[0]
      answer, body = ask("GET", session, headers={"cookie": cookie})
      assert answer.status == 200, answer.status
      print(cookie.split("=", 1)[1])
      place = json.loads(body)["phone"]
      ask("POST", place + "?id=x&lat=40.4&lon=-7.5")
      ask("POST", place + "owntracks", {"_type": "location", "lat": 40.4, "lon": -7.5, "tst": 1})
      print(place.strip("/").split("/")[-1])
      """

    @Test func `no secret is in a log, a process list, an error or a file for others`()
      async throws
    {
      let (http, https) = (try FreePort.next(), try FreePort.next())
      try await Field.run { field in
        var secrets = Secrets()
        let anna = try await field.founder("Anna")
        try "log-level = \"trace\"\n".write(
          to: anna.home.appending(path: "muster.toml"), atomically: true, encoding: .utf8)
        try secrets.add("the proxy's password", "PROXY-PASSWORD")
        try secrets.add("the webhook's query", "WEBHOOK-QUERY")
        try secrets.add("the login's passphrase", "correct horse battery staple")
        try secrets.add("a PIN", "48151623")
        try secrets.add("the PIN for duress", "31415926")
        let proxy = "http://user:PROXY-PASSWORD@127.0.0.1:9"
        let node = try await anna.run(
          "--http", "127.0.0.1:\(http)", "--serve", "127.0.0.1:\(https)", "--proxy", proxy,
          "--uplink", "https://127.0.0.1:9")
        try await eventually("phones are served") {
          try node.child.complaints.contains("on https://127.0.0.1:\(https)")
        }
        let token = try anna.httpToken()
        try secrets.add("the token", token)
        for name in ["device.key", "browser.tls", "root.key"] {
          let file = anna.home.appending(path: "keys/\(name)")
          guard FileManager.default.fileExists(atPath: file.path) else { continue }
          // A key file begins with its key; certificates and names, which are public, follow.
          let key = Array(try Data(contentsOf: file).prefix(name == "browser.tls" ? 140 : 68))
          try secrets.add("the key in \(name)", bytes: key)
        }

        // When everything that has a secret is used once
        let hook = try await anna.ask(
          "webhook", "add", "board", "http://127.0.0.1:9/in?key=WEBHOOK-QUERY", "--event", "enter")
        try secrets.add("the webhook's secret", hook["secret"].text ?? "")
        let passphrase = try field.file("passphrase", "correct horse battery staple\n")
        try await anna.send(
          "login", "add", "Rui", "--rights", "member", "--phone", "--passphrase-file", passphrase)
        let session = try await Python.run(["-c", Self.phone, "\(https)", "Rui", passphrase])
        try #require(session.status == 0, "\(session.output)")
        let printed = session.output.split(separator: "\n").map(String.init)
        try secrets.add("the cookie of a login", printed.first ?? "")
        try secrets.add("the secret of a phone", printed.last ?? "")
        let key = try await anna.ask("access-key", "create", "--user", "Anna", "--rights", "member")
        try secrets.add("the secret of an access key", key["secret"].text ?? "")
        let pins = try field.file("pins", "48151623\n31415926\n")
        try await anna.send("checkin", "pin", "set", "--from", pins)
        let invite = try #require(try await anna.ask("invite")["url"].text)
        try secrets.add("the invite", String(invite.dropFirst("muster://join/".count)))
        let ben = try field.laptop("Ben")
        try await join(ben, in: field, with: invite + "\n").expectJoined()
        for path in ["/api/v1/status", "/api/v1/webhooks", "/metrics", "/?token=\(token)"] {
          let bearer = ["Authorization": "Bearer \(token)"]
          _ = try HTTPExchange.request(http, path, headers: bearer)
          _ = try HTTPExchange.request(http, path, headers: ["Authorization": "Bearer x\(token)"])
        }
        _ = try HTTPExchange.request(http, "/\(token)/?id=Rui&lat=40.4&lon=-7.5")
        try await anna.send("epoch", "rotate", "--yes")
        let bundle = field.path("all.bundle")
        try await anna.send("bundle", "create", bundle)

        // And wrong input quotes it
        for words in [
          ["join", invite + "!", "--callsign", "C"], ["join", "\(invite.dropLast(9))"],
          ["run", "--proxy", "http://user:PROXY-PASSWORD@127.0.0.1"],
          ["run", "--proxy", "user:PROXY-PASSWORD@h:1", "--uplink", "x"],
          ["webhook", "add", "b", "ftp://127.0.0.1/?key=WEBHOOK-QUERY"],
          ["muster://join/\(secrets.forms[0].text)", invite],
        ] {
          #expect(try await field.laptop("Cora").attempt(words).status != 0, "\(words)")
        }

        // Then nothing shows it
        let list = try processList(of: node.child.pid)
        #expect(list.contains("--proxy") && secrets.found(in: list).isEmpty, "\(list)")
        try await node.stop()
        let complaints = try field.complaints
        #expect(complaints.contains(" trace ") || complaints.contains(" debug "))
        #expect(complaints.contains("WebServer") && complaints.contains("UplinkClient"))
        #expect(secrets.found(in: complaints).isEmpty)
        try checkFiles(of: [anna, ben], secrets)
        // The search would find one.
        #expect(secrets.found(in: "-- PROXY-PASSWORD --") == ["the proxy's password"])
        try await anna.requireSound()
      }
    }

    /// Joins with an invite on standard input.
    private func join(_ laptop: Laptop, in field: Field, with text: String) async throws -> Ended {
      let input = try field.file("invite.txt", "\n" + text)
      let child = try field.start(
        ["join", "-", "--callsign", laptop.name, "--home", laptop.home.path],
        environment: ["MUSTER_STATE": laptop.state.path], stays: false, input: URL(filePath: input))
      return try await child.end(within: .seconds(60))
    }

    private func processList(of pid: pid_t) throws -> String {
      let list = try Data(contentsOf: URL(filePath: "/proc/\(pid)/cmdline"))
      return String(decoding: list.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }

    /// Outside the key folder, a secret is in a file of its own that only the user can read.
    private func checkFiles(of laptops: [Laptop], _ secrets: Secrets) throws {
      let kept: [String: Set<String>] = [
        "http-token": ["the token"],
        "webhooks.json": ["the webhook's secret", "the webhook's query"],
        "access-keys.json": ["the secret of an access key"],
      ]
      for laptop in laptops {
        let files = FileManager.default.enumerator(atPath: laptop.folder.path)
        var count = 0
        for case let path as String in files ?? .init() where !path.hasPrefix("home/keys/") {
          let file = laptop.folder.appending(path: path)
          let facts = try FileManager.default.attributesOfItem(atPath: file.path)
          guard facts[.type] as? FileAttributeType == .typeRegular else { continue }
          count += 1
          let found = secrets.found(
            in: String(decoding: try Data(contentsOf: file), as: UTF8.self))
          #expect(found.isSubset(of: kept[file.lastPathComponent] ?? []), "\(path)")
          let mode = facts[.posixPermissions] as? Int ?? 0
          #expect(found.isEmpty || mode & 0o077 == 0, "\(path)")
        }
        #expect(count > 2)
      }
    }

    #if os(Linux)
      @Test func `an invite on the command line is hidden from the process list`() async throws {
        try await Field.run { field in
          let anna = try await field.founder("Anna")
          let node = try await anna.run()
          let url = try #require(try await anna.ask("invite")["url"].text)
          try await node.stop()
          let joining = try field.laptop("Ben").begin(
            ["join", url, "--callsign", "Ben", "--timeout", "60s"], stays: true)
          try await eventually("the invite is hidden") {
            let list = try processList(of: joining.pid)
            return list.contains("muster://join/***") && !list.contains(url)
          }
          #expect(joining.isRunning)
        }
      }
    #endif

    @Test func `join reads an invite from standard input, and states what is missing there`()
      async throws
    {
      try await Field.run { field in
        let ben = try field.laptop("Ben")
        try await join(ben, in: field, with: "").expectRefusal(containing: "no invite URL")
        let wrong = try await join(ben, in: field, with: "muster://join/SECRET!CODE\n")
        try wrong.expectRefusal(containing: "not allowed in an invite URL")
        #expect(!wrong.errors.contains("SECRET"))
      }
    }
  }
}

extension Ended {
  fileprivate func expectJoined() throws {
    guard status == 0, output.contains("Joined") else { throw Failed("\(self)") }
  }
}

extension ProcessTests.SecretTests {
  @Test func `the token is rotated while the node is stopped, and the old one is refused`()
    async throws
  {
    let port = try FreePort.next()
    try await Field.run { field in
      let anna = try await field.founder("Anna")
      let node = try await anna.run("--http", "127.0.0.1:\(port)")
      func status(_ token: String) throws -> Int {
        try HTTPExchange.request(
          port, "/api/v1/status", headers: ["Authorization": "Bearer \(token)"]
        ).status
      }
      let old = try anna.httpToken()
      try await eventually("the API answers") { (try? status(old)) == 200 }
      try await anna.attempt("token", "rotate").expectRefusal(containing: "stop it first")
      #expect(try anna.httpToken() == old)
      try await node.stop()
      let output = try await anna.send("token", "rotate")
      let new = try anna.httpToken()
      #expect(new != old && !output.contains(new) && output.contains("http-token"))
      let again = try await anna.run("--http", "127.0.0.1:\(port)")
      try await eventually("the API answers") { (try? status(new)) == 200 }
      #expect(try status(old) == 401)
      try await again.stop()
    }
  }

  @Test func `certificates are renewed while the node is stopped, at most three times`()
    async throws
  {
    let https = try FreePort.next()
    try await Field.run { field in
      let anna = try await field.founder("Anna")
      func fingerprints() async throws -> [String] {
        let node = try await anna.run("--serve", "127.0.0.1:\(https)")
        // The certificate for uplinks is published a moment after the start.
        try await eventually("Anna's node accepts uplinks") {
          try await anna.ask("status")["uplink"]["serves"] == .string("127.0.0.1:\(https)")
        }
        try await anna.attempt("certificate", "renew").expectRefusal(containing: "stop it first")
        try await node.stop()
        let file = anna.home.appending(path: "certificate.sha256")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
      }
      let first = try await fingerprints()
      #expect(first.count == 2)
      #expect(try await fingerprints() == first)
      var all = first
      for _ in 1...3 {
        let output = try await anna.send("certificate", "renew")
        #expect(output.contains("browsers and uplinks"))
        all += try await fingerprints()
      }
      #expect(Set(all).count == 8)
      try await anna.attempt("certificate", "renew")
        .expectRefusal(containing: "has published 4 certificates")
      #expect(try await fingerprints() == Array(all.suffix(2)))
      try await anna.requireSound()
    }
  }
}
