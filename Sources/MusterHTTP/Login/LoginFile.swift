internal import Foundation
internal import MusterInterchange
internal import MusterModel

/// Who may log in at a node: a file of its home that this user alone reads, without
/// passphrases. The node reads it at each request, so that who was taken off it is out at once.
public struct LoginFile: Sendable {
  private static let most = 256
  private let url: URL

  /// - Parameter folder: the home.
  public init(in folder: String) { url = URL(filePath: folder).appending(path: "logins.json") }

  /// By name; nobody where there is no file.
  public func read() throws -> [Login] {
    guard FileManager.default.fileExists(atPath: url.path) else { return [] }
    let json = try JSON.read(Array(try Data(contentsOf: url)))
    guard let logins = json.elements?.map(Login.init), !logins.contains(nil) else {
      throw LoginFault("\(url.path) is damaged: restore it, or take it away and add all anew")
    }
    return logins.compactMap(\.self)
  }

  /// Adds somebody, or replaces who has that name.
  public func add(_ login: Login) throws {
    if let fault = TextRule.line.fault(in: login.name) { throw LoginFault("the name \(fault)") }
    var logins = try read().filter { $0.name != login.name }
    guard logins.count < Self.most else { throw LoginFault("there are \(Self.most) already") }
    logins.append(login)
    try write(logins.sorted { $0.name < $1.name })
  }

  /// Takes somebody off it.
  public func remove(_ name: String) throws {
    let logins = try read()
    guard logins.contains(where: { $0.name == name }) else {
      throw LoginFault("nobody logs in as \(name)")
    }
    try write(logins.filter { $0.name != name })
  }

  /// Beside it first, so that it is whole at any moment.
  private func write(_ logins: [Login]) throws {
    let new = url.appendingPathExtension("new")
    let data = Data((JSON.array(logins.map(\.json)).text + "\n").utf8)
    guard
      FileManager.default.createFile(
        atPath: new.path, contents: data, attributes: [.posixPermissions: 0o600])
    else { throw LoginFault("\(new.path) cannot be written") }
    guard rename(new.path, url.path) == 0 else {
      throw LoginFault("\(url.path) cannot be replaced: \(String(cString: strerror(errno)))")
    }
  }
}

/// Why something about logins was not done, in one line.
public struct LoginFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// For the person who asked.
  public let description: String

  init(_ description: String) { self.description = description }
}
