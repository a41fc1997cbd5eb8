/// A node behind a listener that serves several, each of another operation.
public struct UplinkRoute: Sendable {
  let uplinks: UplinkSwitch
  let accepts: @Sendable ([UInt8]) -> Bool

  /// - Parameters:
  ///   - uplinks: the switch of the node, which admits no uplinks by itself.
  ///   - accepts: whether the first datagram of an uplink authenticates under the keys of the
  ///     node's operation.
  public init(to uplinks: UplinkSwitch, accepts: @escaping @Sendable ([UInt8]) -> Bool) {
    (self.uplinks, self.accepts) = (uplinks, accepts)
  }
}
