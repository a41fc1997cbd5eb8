public import MusterModel

extension Node {
  /// Records a call for help whose caller is not proven. Durable on return.
  public func raiseUnverifiedCall(_ call: UnverifiedCall) async throws {
    throw NodeError.refused("unverified calls are not recorded")
  }
}
