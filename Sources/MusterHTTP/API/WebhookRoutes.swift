internal import Foundation
internal import Hummingbird
internal import MusterCrypto
internal import MusterInterchange
internal import MusterModel
internal import MusterTransport

/// Webhooks: targets for events.
enum WebhookRoutes {
  private static let rules: [Shape.Member] = [
    .may("events", .list(.choice(Webhook.Rules.kinds), most: Webhook.Rules.kinds.count)),
    .may("fences", .list(.text, most: Webhook.mostNames)),
    .may("users", .list(.text, most: Webhook.mostNames)),
    .may("datasets", .list(.choice(Dataset.allCases.map(\.name)), most: 16)),
  ]

  static let routes: [Route] = [
    Route(
      .get, "/api/v1/webhooks", "List the webhooks", rights: .commandRead("webhooks"),
      result: .json(.open([.must("items", .list(.named("Webhook"), most: WebhookStore.most))]))
    ) { api, _ in
      .ok(.object(["items": .array(try api.webhookStore().entries.map(\.shown))]))
    },
    Route(
      .put, "/api/v1/webhooks/{id}",
      "Create or change a webhook of this name; an existing one keeps its position and, "
        + "on the same server, its secret", rights: .command,
      body: .object([.must("url", .text), .may("secret", .text)] + rules, least: 1),
      result: .json(.named("NewWebhook"))
    ) { api, call in
      let store = try api.webhookStore()
      let webhook: Webhook
      var kept: String?
      do {
        let address = try WebhookAddress(parsing: call.text("url") ?? "")
        if call.text("secret") == nil, let known = store.entry(call.id)?.webhook,
          known.address.origin == address.origin
        {
          kept = known.secret
        }
        webhook = try Webhook(
          name: call.id, address: address,
          secret: call.text("secret") ?? kept ?? Webhook.newSecret(),
          rules: Webhook.Rules(call.body.members ?? [:]) ?? Webhook.Rules())
      } catch {
        throw Problem(.unprocessableContent, "\(error)")
      }
      let isNew = store.entry(webhook.name) == nil
      try await Problem.noting { try store.put(webhook, from: try await .now(of: api.node)) }
      do {
        try await api.record(.webhook, webhook.name, by: call, note: webhook.address.shown)
      } catch {
        // It MUST NOT outlive its login.
        if isNew { try await Problem.noting { try store.remove(webhook.name) } }
        throw error
      }
      guard let entry = store.entry(webhook.name) else { throw Problem.noWebhook }
      // The receiver knows a secret that was kept; a login that does not learns it from no answer.
      return .ok(
        kept == nil ? entry.shown.adding(["secret": .string(webhook.secret)]) : entry.shown)
    },
    Route(
      .delete, "/api/v1/webhooks/{id}", "Remove a webhook and its failed events", rights: .command,
      result: .done
    ) { api, call in
      let store = try api.webhookStore()
      guard store.entry(call.id) != nil else { throw Problem.noWebhook }
      try await Problem.noting { try store.remove(call.id) }
      try api.logins?.grants.forget(.webhook, call.id)
      return Answer(.noContent)
    },
    Route(
      .post, "/api/v1/webhooks/{id}/keep",
      "Confirm a webhook whose login was removed: it goes on, as one of the node's own user",
      rights: .laptop(.write, "webhooks are confirmed on the laptop that serves this page"),
      result: .done
    ) { api, call in
      let store = try api.webhookStore()
      guard store.entry(call.id) != nil else { throw Problem.noWebhook }
      try await Problem.noting { try store.confirm(call.id) }
      return Answer(.noContent)
    },
    Route(
      .get, "/api/v1/webhooks/{id}/failed", "List the failed events of a webhook",
      rights: .commandRead("webhooks"),
      result: .json(
        .open([.must("items", .list(.named("FailedDelivery"), most: WebhookStore.mostFailed))]))
    ) { api, call in
      guard let entry = try api.webhookStore().entry(call.id) else { throw Problem.noWebhook }
      return .ok(.object(["items": .array(entry.failed.map(\.json))]))
    },
    Route(
      .post, "/api/v1/webhooks/{id}/retry",
      "Retry failed events: one event, or all if none is named", rights: .command,
      body: .object([.may("event", .reference)], least: 0),
      result: .json(.open([.must("retried", .count)]))
    ) { api, call in
      let store = try api.webhookStore()
      guard store.entry(call.id) != nil else { throw Problem.noWebhook }
      let count = try await Problem.noting { try store.retry(call.id, call.text("event")) }
      return .ok(.object(["retried": .count(count)]))
    },
  ]

}

extension API {
  /// Records what a login makes, so that it ends with the login. What the node's own user makes, or
  /// makes again, is their own.
  func record(
    _ kind: LoginGrant.Kind, _ id: String, by call: Call, note: String
  ) async throws(Problem) {
    guard let logins else { return }
    do {
      if let login = call.person?.name {
        let over = try await reviewInvites(in: logins.grants)
        try logins.record(LoginGrant(kind: kind, id: id, login: login, note: note), over: over)
      } else {
        try logins.grants.forget(kind, id)
      }
    } catch let fault as LoginFault {
      throw Problem(.unprocessableContent, fault.description)
    } catch {
      throw Problem(refusing: error)
    }
  }

  /// Forgets invites that are withdrawn or gone and that admitted no device. Returns the ids of all
  /// by which no device can join any more.
  private func reviewInvites(in grants: LoginGrantFile) async throws -> Set<String> {
    // Read first: an invite is recorded after it is made, so that none of these is too new.
    let known = Set(try grants.read().filter { $0.kind == .invite }.map(\.id))
    guard case .invites(let invites) = try await ask(.invites) else { throw Problem.unexpected }
    let useless = invites.filter { $0.state == .withdrawn && $0.devices.isEmpty }
    let gone = known.subtracting(invites.map { "\($0.id)" })
    try grants.forgetInvites(gone.union(useless.map { "\($0.id)" }))
    return Set(invites.filter { $0.state != .open }.map { "\($0.id)" })
  }

  fileprivate func webhookStore() throws(Problem) -> WebhookStore {
    guard let webhooks else {
      throw Problem(.serviceUnavailable, "webhooks are disabled by an error: see the node's log")
    }
    return webhooks
  }
}

extension Problem {
  fileprivate static let noWebhook = Problem(
    .notFound, "there is no webhook of that name: see muster webhook list")

  /// Converts a fault of the webhook store into a problem; other errors are the node's.
  fileprivate static func noting<Result>(
    _ work: () async throws -> Result
  ) async throws(Problem) -> Result {
    do {
      return try await work()
    } catch let fault as WebhookFault {
      throw Problem(.unprocessableContent, fault.description)
    } catch {
      throw Problem(refusing: error)
    }
  }
}

extension Webhook {
  /// Draws 32 bytes from the operating system, as Standard Webhooks specifies.
  static func newSecret() -> String {
    "whsec_" + Data(SystemRandom.seed()).base64EncodedString()
  }
}

extension WebhookStore.Entry {
  /// Without the secret, and without a secret in the URL.
  var shown: JSON {
    JSON.object(webhook.rules.members).adding([
      "name": .string(webhook.name), "url": .string(webhook.address.shown),
      "failed": .count(failed.count), "trouble": .known(trouble, JSON.string),
    ])
  }
}
