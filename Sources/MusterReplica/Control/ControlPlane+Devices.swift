internal import MusterModel

/// The devices that count.
extension ControlPlane {
  /// Whether a user has a certified device that is not revoked.
  func hasDevice(of user: UserID) -> Bool {
    state.admitted.values.contains {
      let author = $0.signed.certificate.author
      return author.user == user && !isRevoked(author.device)
    }
  }

  /// The certified devices, sorted by device, so that all nodes list them in the same order.
  var admissions: [Admission] {
    state.admitted.values.sorted { left, right in
      (left.signed.certificate.device, left.signed.hash)
        < (right.signed.certificate.device, right.signed.hash)
    }
  }
}
