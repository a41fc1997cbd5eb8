internal import Foundation
internal import MusterNode
internal import MusterTransport

/// What may be set for a node besides by flags: the key in `muster.toml`, and `MUSTER_…` in the
/// environment.
enum Setting: String, CaseIterable {
  case listen
  case peer
  case multicast
  case linkRate = "link-rate"
  case gpsd
  case nmea
  case serve
  case uplink
  case proxy
  case http
  case httpToken = "http-token"
  case trustLocal = "trust-local"
  case map

  /// `MUSTER_LINK_RATE`.
  var variable: String {
    "MUSTER_" + rawValue.uppercased().replacingOccurrences(of: "-", with: "_")
  }
}

/// Settings that no flag gave: the environment's, else the home's file's. An empty variable counts
/// as none.
struct Settings {
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

  /// One value, parsed as its flag's would be.
  func value<T>(of setting: Setting, _ parse: (String) throws -> T) throws(Refusal) -> T? {
    if let text = variable(setting) { return try parsed(text, from: setting.variable, parse) }
    guard let entry = file.entries[setting.rawValue] else { return nil }
    guard case .text(let text) = entry.value else {
      throw Refusal("\(place(entry)): '\(setting.rawValue)' is to be text in quotes")
    }
    return try parsed(text, from: place(entry), parse)
  }

  /// Several: with commas between them in the environment, an array in the file.
  func values<T>(of setting: Setting, _ parse: (String) throws -> T) throws(Refusal) -> [T]? {
    var texts: [String]
    let source: String
    if let text = variable(setting) {
      texts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      source = setting.variable
    } else if let entry = file.entries[setting.rawValue] {
      source = place(entry)
      switch entry.value {
      case .text(let text): texts = [text]
      case .texts(let several): texts = several
      case .flag: throw Refusal("\(source): '\(setting.rawValue)' is to be text in quotes")
      }
    } else {
      return nil
    }
    var values: [T] = []
    for text in texts { values.append(try parsed(text, from: source, parse)) }
    return values
  }

  /// Whether something is wanted: `true` or `false`.
  func flag(_ setting: Setting) throws(Refusal) -> Bool? {
    if let text = variable(setting) {
      guard let flag = Bool(text) else {
        throw Refusal("\(setting.variable): say true or false, not '\(SafeText.line(text))'")
      }
      return flag
    }
    guard let entry = file.entries[setting.rawValue] else { return nil }
    guard case .flag(let flag) = entry.value else {
      throw Refusal("\(place(entry)): '\(setting.rawValue)' is true or false, without quotes")
    }
    return flag
  }

  /// Ours, else what other programs go by: `HTTPS_PROXY` but for `NO_PROXY`, in small letters first
  /// as they do.
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
    environment[setting.variable].flatMap { $0.isEmpty ? nil : $0 }
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
