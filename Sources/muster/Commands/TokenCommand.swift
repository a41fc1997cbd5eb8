internal import ArgumentParser
internal import MusterNode

struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Replace the token of the dashboard and the API.",
    discussion: "Example:  muster token rotate",
    subcommands: [Rotate.self])

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replace the token of the dashboard and the API.",
      discussion: """
        Example:  muster token rotate

        For a token that others have seen. The node must be stopped. After its next start, \
        browsers, programs and phones on this machine need the new token, which is in \
        run/http-token of the home.
        """)

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let token = try await LocalNode.rotateToken(of: home)
      try Standard.print(
        "The token was replaced: \(token.path)\nNext: muster run\(home.folder.flags)")
    }
  }
}

struct CertificateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certificate",
    abstract: "Replace the TLS certificates of phones and uplinks.",
    discussion: "Example:  muster certificate renew",
    subcommands: [Renew.self])

  struct Renew: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replace the TLS certificates and their keys.",
      discussion: """
        Example:  muster certificate renew

        For certificates whose private keys others have seen. The node must be stopped. Its next \
        start with --serve creates new ones. Phones must trust the new one again. Laptops accept \
        the new one of a command post after they have synchronized with a node that knows it: \
        start the post while they are in reach. A device can replace its certificate for uplinks \
        three times.
        """)

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let clients = try await LocalNode.renewCertificates(of: home)
      guard !clients.isEmpty else {
        return try Standard.print("This node has no certificate: nothing was changed.")
      }
      let names = [
        clients.contains(.browsers) ? "browsers" : nil,
        clients.contains(.uplinks) ? "uplinks" : nil,
      ].compactMap(\.self).joined(separator: " and ")
      try Standard.print(
        """
        The next start creates a new certificate for \(names).
        Next: muster run\(home.folder.flags) --serve ADDRESS:PORT
        """)
    }
  }
}
