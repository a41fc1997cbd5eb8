internal import MusterModel
internal import Synchronization

/// The states of a node's uplinks, for the user.
final class UplinkStates: Sendable {
  private struct Standing {
    var state = UplinkSummary.State.connecting
    var since = ContinuousClock.now
    var lastError = ""
    var advice = ""
  }
  private struct State {
    var posts: [(url: String, standing: Standing)]
    var serves = ""
  }
  private let state: Mutex<State>

  init(_ targets: [UplinkTarget]) {
    state = Mutex(State(posts: targets.map { ($0.description, Standing()) }))
  }

  /// Records that this node is a command post for others.
  func serve(at address: String) { state.withLock { $0.serves = address } }

  func set(_ index: Int, _ new: UplinkSummary.State, error: String? = nil, advice: String = "") {
    state.withLock { state in
      var standing = state.posts[index].standing
      // A retry does not change the state.
      let isRetry = standing.state == .down && new == .connecting
      if !isRetry, standing.state != new {
        standing.state = new
        standing.since = .now
      }
      if let error { standing.lastError = error }
      if !isRetry { standing.advice = advice }
      state.posts[index].standing = standing
    }
  }

  /// Returns the summary for the status; nil if the node uses no command post and is none.
  func summary(guests: Int) -> UplinkSummary? {
    state.withLock { state in
      guard !state.posts.isEmpty || !state.serves.isEmpty else { return nil }
      let posts = state.posts.map { url, standing in
        UplinkSummary.Post(
          url: url, state: standing.state,
          sinceSeconds: standing.since.duration(to: .now).components.seconds,
          lastError: standing.lastError, advice: standing.advice)
      }
      return UplinkSummary(posts: posts, serves: state.serves, guests: guests)
    }
  }
}
