internal import Synchronization

/// The uploads that run at a time. A login has two of them at most, and one place stays free of
/// logins without the rights of command: a slow or lost phone takes all places from no other user.
final class UploadPlaces: Sendable {
  static let most = 4
  static let mostOfLogin = 2

  private struct Uploader: Sendable {
    /// Nil for a client on this machine.
    let login: String?
    let isCommand: Bool
  }

  private let running = Mutex<[Int: Uploader]>([:])

  /// Takes a place. Returns its number; nil if there is none for this client.
  func take(for person: Person?) -> Int? {
    let one = Uploader(login: person?.name, isCommand: person?.speaksForItself != true)
    return running.withLock { running in
      let others = running.values
      guard one.login == nil || others.count(where: { $0.login == one.login }) < Self.mostOfLogin,
        one.isCommand || others.count(where: { !$0.isCommand }) < Self.most - 1,
        let place = (0..<Self.most).first(where: { running[$0] == nil })
      else { return nil }
      running[place] = one
      return place
    }
  }

  /// Frees a place.
  func leave(_ place: Int) { running.withLock { $0[place] = nil } }
}
