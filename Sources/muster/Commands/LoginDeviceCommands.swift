internal import ArgumentParser
internal import MusterHTTP
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

extension LoginCommand {
  struct Devices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the browsers that are logged in.",
      discussion: """
        Example:  muster login devices Maria

        A browser stays logged in for 30 days, or as long as the setting login-term states. Then, \
        and once it is revoked, it only calls for help, until its user logs in or you restore it. \
        `muster status` and the dashboard also show persons who signed off.
        """)

    @Argument(help: "The name of the login.")
    var name: String

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func run() async throws {
      let file = LoginFile(in: home.folders.path)
      guard let login = try file.read().first(where: { $0.name == name }) else {
        throw Refusal("there is no login \(SafeText.line(name)): see `muster login list`")
      }
      let term = try Settings(home: home.folders).loginTerm.seconds
      let devices = try file.browsers.devices(
        of: login, termSeconds: term, now: SystemClock.wall)
      if output.json { return try Standard.print(JSON.array(devices.map(\.json)).text) }
      guard !devices.isEmpty else { return try Standard.print("No devices.") }
      var table = Table(["DEVICE", "BROWSER", "LAST USED", "STATE"])
      for device in devices {
        table.add([
          .init(device.id, .strong), .init(device.name), .init(times.format.text(device.usedAt)),
          .init(device.standing.words),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct RevokeDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a browser, which then only calls for help.",
      discussion: "Example:  muster login revoke-device Maria 4f0a91c2")

    @Argument(help: "The name of the login.")
    var name: String

    @Argument(help: "The device, from `muster login devices`.")
    var device: String

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      try LoginFile(in: home.folders.path).browsers.revoke(device, of: name)
    }
  }

  struct RestoreDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a browser all rights of its login again.",
      discussion: "Example:  muster login restore-device Maria 4f0a91c2")

    @Argument(help: "The name of the login.")
    var name: String

    @Argument(help: "The device, from `muster login devices`.")
    var device: String

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      try LoginFile(in: home.folders.path).browsers.restore(
        device, of: name, now: SystemClock.wall)
    }
  }
}

extension LoginStanding {
  fileprivate var words: String {
    switch self {
    case .full: "logged in"
    case .removed: "removed"
    case .helpOnly(.termOver): "help only: term over"
    case .helpOnly(.changed): "help only: login changed"
    case .helpOnly(.revoked): "help only: revoked"
    case .helpOnly(.signedOff): "help only: signed off"
    case .helpOnly(.deviceRevoked): "help only: laptop revoked"
    }
  }
}
