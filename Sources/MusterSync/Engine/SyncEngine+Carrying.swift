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
        try hold(carried: frames)
      } catch {
        context.effects.append(.notice(.carried(.refusedFrames(error, frames.count))))
      }
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
      learn(chain)
    case .evidence(let item):
      guard item.holds(operation: context.local.operation, rootKey: context.local.rootKey) else {
        return context.effects.append(.notice(.carried(.refusedChain)))
      }
      context.effects.append(.store(.evidence(item)))
    case .keys(let keys): for key in keys where key.device == context.local.device { open(key) }
    case .end:
      // The roots are sent, not each frame: there may be many, and peers request by priority.
      for device in context.peers.connected { sendRoots(to: device, asksForAnswer: false) }
      quickenAnnounce()
    }
  }

  private mutating func hold(carried frames: [Frame]) throws(BundleRefusal) {
    var fresh = frames[...]
    guard let first = fresh.first, let last = fresh.last else { return }
    let held = context.logs[first.log]
    guard held != nil || first.sequence == 0 else { throw .unattached }
    // A log has exactly one opening: its successor shows whether this is it.
    if held != nil, first.sequence == 0 { fresh.removeFirst() }
    if let held, !held.isParted {
      guard first.sequence <= held.head.sequence + 1 else { throw .unattached }
      if last.sequence > held.head.sequence {
        let rest = fresh.drop { $0.sequence <= held.head.sequence }
        if rest.first?.previous == held.head.hash { fresh = rest }
      }
    }
    let known = frames.count - fresh.count
    if !fresh.isEmpty { try hold(verifying: Array(fresh), of: held) }
    if known > 0 { context.effects.append(.notice(.carried(.knownFrames(known)))) }
  }

  /// Stores frames that follow the stored head of their log, that begin a new log, or that may
  /// belong to another branch of it.
  private mutating func hold(
    verifying frames: [Frame], of held: LogSummary?
  ) throws(BundleRefusal) {
    var frames = frames
    let opening: Opening
    do throws(WireError) {
      opening = if let held { held.opening } else { try self.opening(of: frames[0]) }
    } catch {
      throw BundleRefusal(error)
    }
    guard
      let key = context.roster.signingKey(of: opening.certificate, rootKey: context.local.rootKey)
    else {
      throw .unknownAuthor
    }
    guard held != nil || hasRoomForLog(frames[0].log, of: opening) else {
      context.bounds.note(.logs, of: opening.certificate)
      throw .overLimit
    }
    do throws(WireError) {
      try verify(&frames, signedBy: key)
    } catch {
      throw BundleRefusal(error)
    }
    if let held, held.isParted || held.head.hash != frames[0].previous {
      return context.effects.append(.store(.branch(opening, frames, context.local.device)))
    }
    guard mayQuarantine(frames, opening: opening) else { throw .overLimit }
    hold(frames, opening: opening, from: context.local.device, on: nil)
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
