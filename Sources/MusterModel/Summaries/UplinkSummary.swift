/// How a node stands with command posts over HTTPS: those that it goes to, and whether it is one.
public struct UplinkSummary: Codable, Hashable, Sendable {
  /// How an uplink stands. Numbers are on the control socket.
  public enum State: UInt8, Codable, Hashable, Sendable, CaseIterable {
    /// No commander's word on what a command post shows by TLS has come here yet.
    case noCertificate = 1
    /// On its way.
    case connecting = 2
    /// It does not stand; tried again and again, less often each time.
    case down = 3
    /// It stands, and who is at its other end belongs to this operation.
    case up = 4
  }

  /// One command post that this node goes to.
  public struct Post: Codable, Hashable, Sendable {
    /// As the user gave it.
    public var url: String
    /// How it stands now.
    public var state: State
    /// Since when, by the clock that also counts sleep.
    public var sinceSeconds: Int64
    /// What went wrong last, and since when things have been well it still says so; empty for
    /// nothing.
    public var lastError: String
    /// What to do about how it stands; empty for nothing.
    public var advice: String

    /// No length of time is negative.
    public init(
      url: String, state: State, sinceSeconds: Int64, lastError: String, advice: String
    ) {
      self.url = url
      self.state = state
      self.sinceSeconds = sinceSeconds
      self.lastError = lastError
      self.advice = advice
    }
  }

  /// In the order in which the user gave them.
  public var posts: [Post]
  /// Where this node is a command post for others; empty where it is none.
  public var serves: String
  /// How many have come there and belong to this operation.
  public var guests: Int

  /// Taken at one moment.
  public init(posts: [Post], serves: String, guests: Int) {
    self.posts = posts
    self.serves = serves
    self.guests = guests
  }

  /// The best of any: whether this node reaches a command post. Nil where it goes to none.
  public var state: State? { posts.map(\.state).max { $0.rawValue < $1.rawValue } }
}
