public import MusterModel
internal import MusterReplica

extension Node {
  /// Shows command a call for help whose caller is not proven. Throws `Refusal` if it cannot.
  public func raiseUnverifiedCall(_ call: UnverifiedCall) async throws {
    throw Refusal.changed("unverified calls are not available")
  }
}
