internal import MusterModel

/// Import and export of bundles. Frames and records pass the same checks as those received from
/// peers. No peer sent them, so no peer is asked for more, and none is charged for an invalid
/// signature.
extension SyncEngine {
  mutating func take(_ carried: BundleItem) {
    switch carried {
    case .frames(let frames):
      self.frames.receive(carried: frames, context: &context)
      noteAccepted()
    case .records(let records): self.records.receive(carried: records, context: &context)
    case .chain(let certificates): context.receive(carried: certificates)
    case .evidence(let item): evidence.receive(carried: item, context: &context)
    case .keys(let keys):
      for key in keys where key.device == context.local.device {
        self.keys.open(key, context: &context)
      }
    case .unit(let unit): blobs.take(carried: unit, context: &context)
    case .end:
      // The roots are sent, not each frame: there may be many, and peers request by priority.
      context.sendRootsToAll()
      announcer.quicken(context: &context)
    }
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
