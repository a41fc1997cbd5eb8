/// The state of a node's HTTPS connections: to command posts, and as a command post.
public struct UplinkSummary: Codable, Hashable, Sendable {
  /// The state of an uplink. Numbers are on the control socket.
  public enum State: UInt8, Codable, Hashable, Sendable, CaseIterable {
    /// No commander's statement of the post's TLS certificate has arrived here yet.
    case noCertificate = 1
    /// Connecting.
    case connecting = 2
    /// Not connected; retried with increasing delays.
    case down = 3
    /// Connected to a device of this operation.
    case up = 4
  }

  /// A command post that this node connects to.
  public struct Post: Codable, Hashable, Sendable {
    /// As the user entered it.
    public var url: String
    /// The current state.
    public var state: State
    /// Seconds in this state, by a clock that includes sleep.
    public var sinceSeconds: Int64
    /// The last error, kept after it is resolved, with the time since then; empty for none.
    public var lastError: String
    /// What the user should do about the state; empty for nothing.
    public var advice: String

    /// Creates a post. Durations MUST NOT be negative.
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

  /// In the order in which the user entered them.
  public var posts: [Post]
  /// The address at which this node is a command post; empty if it is none.
  public var serves: String
  /// Connected nodes that belong to this operation.
  public var guests: Int

  /// Creates a summary of one moment.
  public init(posts: [Post], serves: String, guests: Int) {
    self.posts = posts
    self.serves = serves
    self.guests = guests
  }

  /// The best state of any post: whether this node reaches a command post. Nil without posts.
  public var state: State? { posts.map(\.state).max { $0.rawValue < $1.rawValue } }
}
