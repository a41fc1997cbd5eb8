internal import MusterInterchange
internal import MusterModel
internal import MusterTransport

/// Somewhere that events are posted to, and which.
struct Webhook: Hashable, Sendable {
  /// Which events are posted.
  struct Rules: Hashable, Sendable {
    /// Crossings of these types; none where it is empty.
    var events: Set<CrossingType>
    /// Whether alerts of this node are posted: all of them, whatever fences and people are named.
    var alerts: Bool
    /// Crossings of these fences, by name or by the first digits of the id; of all where it is
    /// empty.
    var fences: [String]
    /// Crossings of these people, by callsign; of all where it is empty.
    var users: [String]
    /// Sets of which each new sync count is told.
    var datasets: Set<Dataset>

    /// What stands for alerts among the kinds of events.
    static let alert = "ALERT"
    /// All kinds of events.
    static let kinds = CrossingType.kinds.map(\.name) + [alert]

    /// All crossings where nothing is said, but none where only sets are named.
    init(
      events: Set<CrossingType>? = nil, alerts: Bool = false, fences: [String] = [],
      users: [String] = [], datasets: Set<Dataset> = []
    ) {
      self.events = events ?? (datasets.isEmpty && !alerts ? [.enter, .exit] : [])
      self.alerts = alerts
      self.fences = fences
      self.users = users
      self.datasets = datasets
    }
  }

  /// Names that one rule holds.
  static let mostNames = 64
  static let secretBytes = 16...256

  /// By which people call it.
  let name: String
  /// Where to.
  let address: WebhookAddress
  /// By which the other side knows that it is we.
  let secret: String
  /// Which events.
  let rules: Rules

  /// Refuses a name or a secret that is none.
  init(
    name: String, address: WebhookAddress, secret: String, rules: Rules
  ) throws(WebhookFault) {
    guard Self.isName(name) else {
      throw WebhookFault("a name has up to 64 letters, digits, - and _")
    }
    guard Self.secretBytes.contains(secret.utf8.count),
      secret.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
    else { throw WebhookFault("a secret has 16 to 256 characters of ASCII, and no space") }
    guard rules.fences.count <= Self.mostNames, rules.users.count <= Self.mostNames else {
      throw WebhookFault("a rule names at most \(Self.mostNames) fences and as many people")
    }
    self.name = name
    self.address = address
    self.secret = secret
    self.rules = rules
  }

  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        Character(Unicode.Scalar($0)).isLetter && $0 < 0x80 || (48...57).contains($0)
          || $0 == 45 || $0 == 95
      }
  }
}

extension Webhook.Rules {
  func choose(_ crossing: CrossingSummary) -> Bool {
    guard events.contains(crossing.type) else { return false }
    let isFence = fences.contains {
      $0 == crossing.fenceName || IdentifierPrefix($0)?.begins(crossing.fence) ?? false
    }
    return (fences.isEmpty || isFence) && (users.isEmpty || users.contains(crossing.callsign))
  }

  /// As the file and the API have it.
  var members: [String: JSON] {
    [
      "events": .strings(
        CrossingType.kinds.filter(events.contains).map(\.name) + (alerts ? [Self.alert] : [])),
      "fences": .strings(fences), "users": .strings(users),
      "datasets": .strings(Dataset.allCases.filter(datasets.contains).map(\.name)),
    ]
  }
}

/// Why something about webhooks was not done, in one line.
struct WebhookFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// For the person who asked.
  let description: String

  init(_ description: String) { self.description = description }
}

extension CrossingType {
  static let kinds: [CrossingType] = [.enter, .exit]
}
