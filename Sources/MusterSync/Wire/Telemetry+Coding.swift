public import MusterCrypto
public import MusterModel

extension LatestRecord {
  /// Decrypts what a position or presence record states about its device. Values out of range are
  /// not stated. Nil if the key is another epoch's, or the record is of another kind.
  public func telemetry(operation: OperationID, key: SealingKey) -> Telemetry? {
    let sealed: [UInt8]
    switch kind {
    case .position, .presence: sealed = body
    case .trackerPosition: sealed = Array(body.dropFirst(16))
    case .receipt, .blobReceipt, .neighbours, .otherIncarnations, .clone: return nil
    }
    guard let plaintext = key.openBody(sealed, additionalData: additionalData(operation: operation))
    else { return nil }
    do {
      if kind == .presence {
        let content = try WirePresenceBody(parsing: plaintext)
        return Telemetry(batteryPlusOne: content.batteryPercentPlusOne)
      }
      let content = try WirePositionBody(parsing: plaintext)
      return Telemetry(
        batteryPlusOne: content.batteryPercentPlusOne,
        stillSecondsPlusOne: content.stillSecondsPlusOne)
    } catch {
      return nil
    }
  }
}

extension Telemetry {
  fileprivate init(batteryPlusOne: UInt32, stillSecondsPlusOne: UInt32 = 0) {
    self.init(
      batteryPercent: (1...101).contains(batteryPlusOne) ? UInt8(batteryPlusOne - 1) : nil,
      stillSeconds: stillSecondsPlusOne > 0 ? stillSecondsPlusOne - 1 : nil)
  }
}
