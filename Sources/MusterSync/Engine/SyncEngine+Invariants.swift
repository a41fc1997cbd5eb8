internal import MusterModel

extension SyncEngine {
  /// Traps when the engine's tables contradict one another or have outgrown their bounds: for
  /// tests and simulations, after each input.
  public func checkInvariants() {
    precondition(effects.isEmpty, "effects left behind")
    checkSessions()
    checkPulls()
    for device in peers.keys { checkReassembly(of: device) }
    precondition(peers.count <= Limits.peers, "\(peers.count) peers")
    precondition(contacts.count <= Limits.peers, "\(contacts.count) contacts")
    precondition(
      handshakes.count <= Limits.handshakesInFlight, "\(handshakes.count) handshakes")
    precondition(records.count <= Limits.records, "\(records.count) records")
    precondition(missingKeys.count <= Limits.missingKeys, "\(missingKeys.count) missing keys")
    precondition(unverifiable.count <= Limits.logs, "\(unverifiable.count) unverifiable logs")
    precondition(shelf.leafCount == shelf.logs.count + records.count, "tries lack a leaf")
  }

  private func checkSessions() {
    var joiners = 0
    for (index, session) in sessions {
      precondition(session.localIndex == index, "session \(session.localIndex) at \(index)")
      precondition(handshakes[index] == nil, "index \(index) is used twice")
      switch session.peer {
      case .device(let device):
        precondition(peers[device]?.sessions.contains(index) == true, "session of nobody")
      case .joiner: joiners += 1
      }
    }
    precondition(joiners <= Limits.handshakesInFlight, "\(joiners) joiners")
    for (device, peer) in peers {
      precondition(peer.device == device, "\(peer.device) at \(device)")
      precondition(
        peer.sessions.count <= 2 && Set(peer.sessions).count == peer.sessions.count,
        "sessions \(peer.sessions)")
      for index in peer.sessions {
        precondition(sessions[index]?.peer == .device(device), "session \(index) is gone")
      }
    }
  }

  private func checkPulls() {
    var owed: [DeviceID: Int] = [:]
    for (log, pull) in pulls {
      precondition(next(of: log) <= pull.through, "nothing left to pull of \(log)")
      precondition(peers[pull.device]?.sessions.isEmpty == false, "a pull from nobody")
      owed[pull.device, default: 0] += pull.granted
    }
    for (device, peer) in peers {
      precondition(
        peer.outstandingCredit == owed[device] ?? 0,
        "\(peer.outstandingCredit) bytes outstanding, \(owed[device] ?? 0) in pulls")
      precondition(peer.known.count <= Limits.logs, "\(peer.known.count) known heads")
      precondition(!peer.sessions.isEmpty || peer.queue.isEmpty, "a queue without a session")
    }
  }

  private func checkReassembly(of device: DeviceID) {
    guard let peer = peers[device] else { return }
    var total = 0
    for (log, waiting) in peer.reassembly {
      let next = next(of: log)
      precondition(!waiting.isEmpty, "an empty buffer")
      precondition(waiting.keys.allSatisfy { $0 >= next }, "frames of \(log) held and waiting")
      precondition(waiting.count <= Limits.bufferedFramesPerLog, "\(waiting.count) frames wait")
      total += waiting.count
    }
    precondition(total <= Limits.bufferedFrames, "\(total) frames wait")
  }
}
