internal import MusterCrypto
internal import MusterModel

/// Import and export of bundles. Frames and records pass the same checks as those received from
/// peers. No peer sent them, so no peer is asked for more, and none is charged for an invalid
/// signature.
extension SyncEngine {
  mutating func take(_ carried: BundleItem) {
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
        switch self.records.take(record, paidBy: nil, on: nil, context: &context) {
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
    case .keys(let keys):
      for key in keys where key.device == context.local.device {
        self.keys.open(key, context: &context)
      }
    case .end:
      // The roots are sent, not each frame: there may be many, and peers request by priority.
      for device in context.peers.connected { context.sendRoots(to: device, asksForAnswer: false) }
      announcer.quicken(context: &context)
    }
  }

  // MARK: Keys
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
