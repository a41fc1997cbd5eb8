import Hummingbird
import MusterInterchange
import MusterModel
import MusterNode
import MusterTransport
import Testing

@testable import MusterHTTP

/// What a login made ends with it.
@Suite struct LoginGrantTests {
  private static func invites(_ caller: `Logging in`.Caller) async throws -> [InviteSummary] {
    guard case .invites(let all) = await caller.endpoint.router.api.node.perform(.invites) else {
      throw Failed("no invites")
    }
    return all
  }

  private static func invite(
    _ caller: `Logging in`.Caller, _ body: String, cookie: String?
  ) async -> HTTPResponse.Status {
    await caller.ask(.post, "/api/v1/invitations", body, cookie: cookie).status
  }

  private static func keeper(
    _ caller: `Logging in`.Caller, in folder: String, _ webhooks: WebhookStore? = nil
  ) -> LoginGrantKeeper {
    LoginGrantKeeper(
      file: LoginGrantFile(in: folder), node: caller.endpoint.router.api.node, webhooks: webhooks)
  }

  @Test func `a removed login's invites are withdrawn, and those of others stay`() async throws {
    try await `Logging in`.run(isReachable: true) { caller, folder in
      let maria = try await caller.cookie("Maria", "Maria's words")
      #expect(await Self.invite(caller, "{\"role\":\"member\",\"uses\":5}", cookie: maria) == .ok)
      let file = LoginFile(in: folder)
      let made = try file.grants.read()
      #expect(made.map(\.login) == ["Maria"] && made.map(\.note) == ["role member"])
      // The laptop's own user makes another one.
      let own = await caller.endpoint.router.api.node.perform(
        .invite(role: .member, uses: 3, validSeconds: 3600))
      guard case .invitation = own else { throw Failed("\(own)") }

      let ended = try file.remove("Maria")
      #expect(ended.map(\.id) == made.map(\.id) && ended.map(\.state) == [.ended])
      // Also a new login of this name does not bring it back.
      try file.add(
        Login(
          name: "Maria", rights: .command, passphrase: Array("Maria's words".utf8), cost: .minimum))
      try await Self.keeper(caller, in: folder).enforce()
      let states = try await Self.invites(caller).map { ("\($0.id)" == made[0].id, $0.state) }
      #expect(states.first { $0.0 }?.1 == .withdrawn)
      #expect(states.first { !$0.0 }?.1 == .open)
      #expect(try file.grants.read().isEmpty)
    }
  }

  @Test func `a login's invite for a commander is for one device and one day`() async throws {
    try await `Logging in`.run(isReachable: true) { caller, _ in
      let maria = try await caller.cookie("Maria", "Maria's words")
      let body = "{\"role\":\"command\",\"uses\":1000,\"validSeconds\":31536000}"
      #expect(await Self.invite(caller, body, cookie: maria) == .ok)
      let invite = try #require(try await Self.invites(caller).first)
      #expect(invite.usesLeft == 1)
      #expect(invite.expiresAt.milliseconds - invite.createdAt.milliseconds == 86_400_000)
    }
  }

  @Test func `the invites of one login have a bound, and used ones free their place`() async throws
  {
    try await `Logging in`.run(isReachable: true) { caller, folder in
      let maria = try await caller.cookie("Maria", "Maria's words")
      let file = LoginFile(in: folder)
      for index in 0..<LoginGrantFile.mostWorking {
        try file.record(
          LoginGrant(kind: .webhook, id: "w\(index)", login: "Maria", note: "https://a.example"))
      }
      let body = "{\"role\":\"member\"}"
      #expect(await Self.invite(caller, body, cookie: maria) == .unprocessableContent)
      #expect(try await Self.invites(caller).allSatisfy { $0.state == .withdrawn })
      try file.grants.forget(.webhook, "w0")
      // An invite by which no device can join any more.
      try file.record(LoginGrant(kind: .invite, id: "00", login: "Maria", note: "role member"))
      #expect(await Self.invite(caller, body, cookie: maria) == .ok)
      #expect(throws: LoginFault.self) {
        try file.record(LoginGrant(kind: .invite, id: "01", login: "Thief", note: ""))
      }
    }
  }

  @Test func `a removed login's webhook waits until it is confirmed; a stolen one's is removed`()
    async throws
  {
    try await `Logging in`.run(isReachable: true) { caller, folder in
      let file = LoginFile(in: folder)
      let store = try WebhookStore(in: folder)
      for (name, login) in [("board", "Maria"), ("pager", "Otto"), ("own", nil)] {
        if let login {
          try file.record(
            LoginGrant(kind: .webhook, id: name, login: login, note: "http://127.0.0.1:1"))
        }
        let webhook = try Webhook(
          name: name, address: WebhookAddress(parsing: "http://127.0.0.1:1/"),
          secret: Webhook.newSecret(), rules: Webhook.Rules())
        try store.put(webhook, from: try await .now(of: caller.endpoint.router.api.node))
        #expect(try store.pause(of: name) == nil)
      }
      try file.remove("Maria")
      try file.remove("Otto", asStolen: true)
      let pause = try #require(try store.pause(of: "board"))
      #expect(pause.contains("Maria") && pause.contains("muster webhook keep board"))
      #expect(try store.pause(of: "own") == nil)
      try await Self.keeper(caller, in: folder, store).enforce()
      #expect(store.entries.map(\.webhook.name) == ["board", "own"])
      try store.confirm("board")
      #expect(try store.pause(of: "board") == nil)
    }
  }
}
