internal import MusterInterchange
internal import MusterModel
internal import MusterTransport

/// A target for events, with its rules.
struct Webhook: Hashable, Sendable, Redacted {
  /// The rules that select events.
  struct Rules: Hashable, Sendable {
    /// Crossings of these types; none if empty.
    var events: Set<CrossingType>
    /// Whether alerts of this node are posted: all of them, whatever fences and people are named.
    var alerts: Bool
    /// Crossings of these fences, by name or by the first digits of the id; of all fences if empty.
    var fences: [String]
    /// Crossings of these people, by callsign; of all people if empty.
    var users: [String]
    /// Data sets whose new sync counts are posted.
    var datasets: Set<Dataset>

    /// The name of alerts among the kinds of events.
    static let alert = "ALERT"
    /// All kinds of events.
    static let kinds = CrossingType.kinds.map(\.name) + [alert]

    /// By default all crossings, but none if only data sets are named.
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

  /// The most names in one rule.
  static let mostNames = 64
  static let secretBytes = 16...256

  /// The name that the user chose.
  let name: String
  /// The target URL.
  let address: WebhookAddress
  /// The secret that signs the requests.
  let secret: String
  /// Which events are posted.
  let rules: Rules

  /// Creates a webhook. Rejects an invalid name or secret.
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

  /// The form in the file and in the API.
  var members: [String: JSON] {
    [
      "events": .strings(
        CrossingType.kinds.filter(events.contains).map(\.name) + (alerts ? [Self.alert] : [])),
      "fences": .strings(fences), "users": .strings(users),
      "datasets": .strings(Dataset.allCases.filter(datasets.contains).map(\.name)),
    ]
  }
}

/// Why a change of the webhooks failed, in one line.
struct WebhookFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line for the user.
  let description: String

  init(_ description: String) { self.description = description }
}

extension CrossingType {
  static let kinds: [CrossingType] = [.enter, .exit]
}
