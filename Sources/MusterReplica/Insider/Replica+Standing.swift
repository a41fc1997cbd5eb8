package import MusterModel

extension Replica {
  /// Returns the epochs whose announcements name a revocation of this device, for simulations that
  /// check that it never holds their keys.
  package func epochs(shuttingOut device: DeviceID) -> Set<EpochID> {
    let revoking = control.state.revocations.filter { _, said in
      said.contains { $0.device == device }
    }
    return Set(control.epochs.ordered { !Set($0.excludes).isDisjoint(with: revoking.keys) })
  }
}
