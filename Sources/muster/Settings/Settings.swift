internal import Foundation
internal import MusterHTTP
internal import MusterModel
internal import MusterNode
internal import MusterTransport

/// A setting of the node: its key in `muster.toml`, and `MUSTER_…` in the environment.
enum Setting: String, CaseIterable {
  case listen
  case peer
  case multicast
  case linkRate = "link-rate"
  case gpsd
  case nmea
  case serve
  case loginTerm = "login-term"
  case uplink
  case proxy
  case http
  case httpToken = "http-token"
  case ownTracksKey = "owntracks-key"
  case trustLocal = "trust-local"
  case awsAnonymous = "aws-anonymous"
  case map
  case logLevel = "log-level"

  /// Whether its value may contain a password or a key, which no message shows.
  var isSecret: Bool { [.httpToken, .ownTracksKey, .proxy, .uplink].contains(self) }

  /// `MUSTER_LINK_RATE`.
  var variable: String {
    "MUSTER_" + rawValue.uppercased().replacingOccurrences(of: "-", with: "_")
  }
}

/// The settings from the environment, else from the file of the home. An empty variable is unset.
struct Settings: Redacted {
  private let environment: [String: String]
  private let file: SettingsFile

  init(home: NodeHome) throws(Refusal) {
    self.init(
      environment: ProcessInfo.processInfo.environment,
      file: try SettingsFile(path: home.path + "/muster.toml"))
  }

  init(environment: [String: String], file: SettingsFile) {
    self.environment = environment
    self.file = file
  }

  /// One value, parsed like that of its option.
  func value<T>(of setting: Setting, _ parse: (String) throws -> T) throws(Refusal) -> T? {
    if let text = variable(setting) { return try parsed(text, from: setting.variable, parse) }
    guard let entry = file.entries[setting.rawValue] else { return nil }
    guard case .text(let text) = entry.value else {
      throw Refusal("\(place(entry)): '\(setting.rawValue)' must be text in quotes")
    }
    return try parsed(text, from: "\(place(entry)): '\(setting.rawValue)'", parse)
  }

  /// Several values: separated by commas in the environment, an array in the file.
  func values<T>(of setting: Setting, _ parse: (String) throws -> T) throws(Refusal) -> [T]? {
    var texts: [String]
    let source: String
    if let text = variable(setting) {
      texts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      source = setting.variable
    } else if let entry = file.entries[setting.rawValue] {
      source = "\(place(entry)): '\(setting.rawValue)'"
      switch entry.value {
      case .text(let text): texts = [text]
      case .texts(let several): texts = several
      case .flag: throw Refusal("\(source) must be text in quotes")
      }
    } else {
      return nil
    }
    var values: [T] = []
    for text in texts { values.append(try parsed(text, from: source, parse)) }
    return values
  }

  /// A switch: `true` or `false`.
  func flag(_ setting: Setting) throws(Refusal) -> Bool? {
    if let text = variable(setting) {
      guard let flag = Bool(text) else {
        throw Refusal("\(setting.variable): must be true or false, not '\(SafeText.line(text))'")
      }
      return flag
    }
    guard let entry = file.entries[setting.rawValue] else { return nil }
    guard case .flag(let flag) = entry.value else {
      throw Refusal("\(place(entry)): '\(setting.rawValue)' must be true or false, without quotes")
    }
    return flag
  }

  /// How long phones stay logged in without a passphrase.
  var loginTerm: DurationArgument {
    get throws(Refusal) {
      try value(of: .loginTerm, DurationArgument.init(parsing:))
        ?? DurationArgument(seconds: Programs.defaultLoginTermSeconds)
    }
  }

  /// The setting, else `HTTPS_PROXY` except for hosts in `NO_PROXY`. As in other programs, the
  /// lower-case names take precedence.
  var proxy: UplinkProxy? {
    get throws(Refusal) {
      if let own = try value(of: .proxy, UplinkArgument.proxy) { return own }
      func shared(_ name: String) -> String? {
        [name, name.uppercased()].compactMap { environment[$0] }.first { !$0.isEmpty }
      }
      guard let text = shared("https_proxy") else { return nil }
      return try parsed(text, from: "HTTPS_PROXY") {
        try UplinkArgument.proxy($0, except: shared("no_proxy") ?? "")
      }
    }
  }

  private func variable(_ setting: Setting) -> String? {
    EnvironmentVariable.text(setting.variable, in: environment)
  }

  private func place(_ entry: SettingsFile.Entry) -> String { "\(file.path):\(entry.line)" }

  private func parsed<T>(
    _ text: String, from source: String, _ parse: (String) throws -> T
  ) throws(Refusal) -> T {
    do {
      return try parse(text)
    } catch {
      throw Refusal("\(source): \(error)")
    }
  }
}
