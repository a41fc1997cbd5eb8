internal import Foundation
internal import MusterCrypto
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The addresses of tracker apps whose logins were removed or have another passphrase: they call
/// for help, unverified, and do nothing else (decision 0096). By hash, in a file of the home that
/// only this user can read; the oldest are dropped first.
struct FormerPhones: Sendable {
  private struct Phone {
    let hash: String
    let login: String
  }

  static let most = 256
  private let file: PrivateFile

  /// - Parameter folder: the home.
  init(in folder: String) { file = PrivateFile(in: folder, name: "former-phones.json") }

  /// Records the address of a login that is about to be removed or changed. The caller MUST hold
  /// the lock of the home.
  func record(_ login: Login) throws {
    guard let secret = login.phoneSecret else { return }
    let new = Phone(hash: Self.hash(of: secret), login: login.name)
    let phones = try read().filter { $0.hash != new.hash } + [new]
    let json = JSON.array(
      phones.suffix(Self.most).map {
        .object(["hash": .string($0.hash), "login": .string($0.login)])
      })
    try file.write(Data((json.text + "\n").utf8))
  }

  /// Returns who reports by an address that is not valid any more; nil for an unknown one.
  func reporter(of secret: String) throws -> TrackerResponder.Reporter? {
    let hash = Self.hash(of: secret)
    return try read().last { $0.hash == hash }.map { .former($0.login) }
  }

  private func read() throws -> [Phone] {
    guard let data = try file.read() else { return [] }
    let json: JSON
    // A damaged file has none.
    do { json = try JSON.read(Array(data)) } catch { return [] }
    return (json.elements ?? []).compactMap { json in
      guard let members = json.members, let hash = members["hash"]?.word,
        let login = members["login"]?.word
      else { return nil }
      return Phone(hash: hash, login: login)
    }
  }

  private static func hash(of secret: String) -> String {
    Hex.encode(Blake2b.hash256(Array("muster former phone 1 \(secret)".utf8)).bytes)
  }
}
