internal import Hummingbird

extension Request {
  /// Whether it may be a call for help, its end, a check-in, an answer to an order, or the position
  /// of a person: these pass whatever connections and reads its login has used. What the rights of
  /// the login permit is decided elsewhere.
  var isUrgent: Bool {
    switch (method, uri.path) {
    case (.put, "/api/v1/me/safety"), (.post, "/api/v1/me/position"), (.post, "/api/v1/checkins"),
      (.post, "/api/v1/checkins/report"):
      true
    case (.post, let path): DirectiveRoutes.isAnswer(path)
    default: false
    }
  }
}
