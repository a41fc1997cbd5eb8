public import MusterCrypto
public import MusterModel

/// Import and export of bundles. Frames and records pass the same checks as those received from
/// peers. No peer sent them, so no peer is asked for more, and none is charged for an invalid
/// signature.
extension SyncEngine {
  mutating func take(_ carried: Carried) {
    switch carried {
    case .frames(let frames):
      do throws(BundleRefusal) {
        try self.frames.hold(carried: frames, context: &context)
      } catch {
        context.effects.append(.notice(.carried(.refusedFrames(error, frames.count))))
      }
      noteAccepted()
    case .records(let records):
      for record in records {
        switch take(record, paidBy: nil, on: nil) {
        case .taken: break
        case .known: context.effects.append(.notice(.carried(.knownRecord)))
        case .refused(let rejection):
          context.effects.append(.notice(.carried(.refusedRecord(BundleRefusal(rejection)))))
        }
      }
    case .chain(let certificates):
      guard
        let chain = CertificateChain(
          certificates, operation: context.local.operation, rootKey: context.local.rootKey)
      else { return context.effects.append(.notice(.carried(.refusedChain))) }
      context.learn(chain)
    case .evidence(let item):
      guard item.holds(operation: context.local.operation, rootKey: context.local.rootKey) else {
        return context.effects.append(.notice(.carried(.refusedChain)))
      }
      context.effects.append(.store(.evidence(item)))
    case .keys(let keys): for key in keys where key.device == context.local.device { open(key) }
    case .end:
      // The roots are sent, not each frame: there may be many, and peers request by priority.
      for device in context.peers.connected { context.sendRoots(to: device, asksForAnswer: false) }
      announcer.quicken(context: &context)
    }
  }

  // MARK: Keys

  /// Accepts a key that is missing, like one received from a peer.
  private mutating func open(_ carried: CarriedKey) {
    guard keys.missing.contains(carried.epoch),
      let key = SealedBox.open(carried.box, with: context.local.agreementKey)
    else { return }
    take(EpochKey(id: carried.epoch, key: key))
  }

  /// Returns keys for all authorized devices, each sealed to one device. Devices that only exchange
  /// bundles have no peer to request keys from.
  ///
  /// - Parameters:
  ///   - epochs: the available epochs, the most important first.
  ///   - limit: the maximum number of keys.
  ///   - random: the source of one fresh ephemeral key for each.
  public func keysToCarry(
    of epochs: [EpochID], upTo limit: Int, random: inout DeterministicRandom
  ) -> [CarriedKey] {
    let readers = context.roster.certificates.values.map(\.certificate)
      .filter { $0.device != context.local.device }
      .sorted { $0.device < $1.device }
    var keys: [CarriedKey] = []
    for epoch in epochs {
      guard let key = self.keys[epoch] else { continue }
      var last: DeviceID?
      for reader in readers where reader.device != last && mayServe(epoch, to: reader) {
        guard keys.count < limit else { return keys }
        last = reader.device
        let box = SealedBox.seal(
          key.key, to: reader.agreementKey, drawn: random.agreementKey())
        if let box { keys.append(CarriedKey(epoch: epoch, device: reader.device, box: box)) }
      }
    }
    return keys
  }
}

extension BundleRefusal {
  init(_ error: WireError) {
    switch error {
    case .overLimit: self = .overLimit
    case .malformed, .forged: self = .forged
    }
  }

  init(_ rejection: Rejection) {
    switch rejection {
    case .overLimit: self = .overLimit
    case .unknownAuthor: self = .unknownAuthor
    default: self = .forged
    }
  }
}
