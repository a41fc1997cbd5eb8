import Foundation
import MusterCrypto
import Testing

@testable import muster

@Suite struct `Settings besides the flags` {
  private func settings(
    _ text: String, environment: [String: String] = [:]
  ) throws -> Settings {
    Settings(
      environment: environment, file: try SettingsFile(path: "muster.toml", text: text))
  }

  private let example = """
    # For the truck's laptop
    listen = "0.0.0.0:7480"   # not the usual port
    peer = ["192.0.2.7:7474", 'base.example:7474',]
    \tmulticast=false

    link-rate = "64kbit"
    """

  @Test func `the file is read, with comments and blanks`() throws {
    let settings = try settings(example)
    #expect(try settings.value(of: .listen) { $0 } == "0.0.0.0:7480")
    #expect(try settings.values(of: .peer) { $0 } == ["192.0.2.7:7474", "base.example:7474"])
    #expect(try settings.flag(.multicast) == false)
    #expect(
      try settings.value(of: .linkRate, LinkRateArgument.init(parsing:))?.rate.bytesPerSecond
        == 8000)
  }

  @Test func `a variable of a file that was edited on Windows has no CR`() throws {
    let settings = try settings(
      "",
      environment: [
        "MUSTER_LISTEN": "0.0.0.0:1\r", "MUSTER_PEER": "\r", "MUSTER_MULTICAST": "false\r",
      ])
    #expect(try settings.value(of: .listen) { $0 } == "0.0.0.0:1")
    #expect(try settings.values(of: .peer) { $0 } == nil)
    #expect(try settings.flag(.multicast) == false)
  }

  @Test func `the environment beats the file, and an empty variable counts as none`() throws {
    let settings = try settings(
      example,
      environment: [
        "MUSTER_LISTEN": "", "MUSTER_PEER": "a:1, b:2", "MUSTER_MULTICAST": "true",
        "MUSTER_LINK_RATE": "1Mbit",
      ])
    #expect(try settings.value(of: .listen) { $0 } == "0.0.0.0:7480")
    #expect(try settings.values(of: .peer) { $0 } == ["a:1", "b:2"])
    #expect(try settings.flag(.multicast) == true)
    #expect(try settings.value(of: .linkRate) { $0 } == "1Mbit")
  }

  @Test func `a setting without a value is unset`() throws {
    let settings = try settings("")
    #expect(try settings.value(of: .listen) { $0 } == nil)
    #expect(try settings.values(of: .peer) { $0 } == nil)
    #expect(try settings.flag(.multicast) == nil)
  }

  @Test func `a byte order mark and line ends of Windows are read`() throws {
    let text = "listen = \"127.0.0.1:7474\"\r\nmulticast = false\r\n"
    let path =
      FileManager.default.temporaryDirectory.path
      + "/muster-settings-\(ProcessInfo.processInfo.processIdentifier).toml"
    defer { unlink(path) }
    let little = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    for bytes in [
      Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8), [0xFF, 0xFE] + little,
      [0xFE, 0xFF] + big,
    ] {
      try Data(bytes).write(to: URL(filePath: path))
      let settings = Settings(environment: [:], file: try SettingsFile(path: path))
      #expect(try settings.value(of: .listen) { $0 } == "127.0.0.1:7474")
      #expect(try settings.flag(.multicast) == false)
      let words = try Passphrase(withoutLineEnd: InputFile.textBytes(of: path, limit: 1000))
      #expect(words.bytes == Array(text.utf8.dropLast(2)))
    }
    try Data([0xFF, 0xFE, 0x00]).write(to: URL(filePath: path))
    #expect(throws: Refusal.self) { try SettingsFile(path: path) }
  }

  @Test func `a message shows what is written, and no secret`() throws {
    func reason(_ text: String) throws -> String {
      let error = #expect(throws: Refusal.self) { try settings(text) }
      return "\(try #require(error))"
    }
    #expect(try reason("listen = “a:1”").contains("'“a:1”' (it begins with U+201C)"))
    #expect(try reason("[node]").contains("'[node]'"))
    #expect(try reason("listen: \"a:1\"").contains("':"))
    #expect(try reason("multicast = false;").contains("';'"))
    for text in ["owntracks-key = verysecret", "http-token = \"a\" verysecret", "proxy verysecret"]
    {
      #expect(try !reason(text).contains("verysecret"))
    }
  }

  @Test(
    arguments: [
      ("lisen = \"a:1\"", "listen"), ("listen \"a:1\"", "'='"), ("= 1", "key = value"),
      ("listen = a:1", "text"), ("listen = \"a:1", "closed"), ("listen = \"a\\n\"", "backslash"),
      ("listen = \"a:1\" x", "after"), ("peer = [\"a:1\"", "']'"), ("peer = [1]", "quotes"),
      ("[node]", "key = value"), ("multicast = yes", "true or false"),
      ("listen = \"a:1\"\nlisten = \"b:1\"", ":2: "),
    ] as [(String, String)])
  func `a line that cannot be meant is refused by its number`(text: String, word: String) {
    #expect {
      try settings(text)
    } throws: {
      let reason = "\($0)"
      return reason.hasPrefix("muster.toml:") && reason.contains(word)
    }
  }

  @Test func `a value that its flag would refuse is refused with where it stands`() throws {
    let wrong = try settings("\nlink-rate = \"fast\"")
    #expect {
      _ = try wrong.value(of: .linkRate, LinkRateArgument.init(parsing:))
    } throws: { "\($0)".hasPrefix("muster.toml:2: ") }
    let variable = try settings("", environment: ["MUSTER_MULTICAST": "1"])
    #expect {
      _ = try variable.flag(.multicast)
    } throws: { "\($0)".hasPrefix("MUSTER_MULTICAST: ") }
    let kind = try settings("multicast = \"true\"\nlisten = true")
    #expect(throws: Refusal.self) { try kind.flag(.multicast) }
    #expect(throws: Refusal.self) { try kind.value(of: .listen) { $0 } }
  }

  @Test func `a log level is read by its name, and an unknown one is refused with all names`()
    throws
  {
    let debug = try settings("log-level = \"debug\"").value(of: .logLevel, RunCommand.logLevel)
    #expect("\(try #require(debug))" == "debug")
    let wrong = try settings("", environment: ["MUSTER_LOG_LEVEL": "loud"])
    #expect {
      _ = try wrong.value(of: .logLevel, RunCommand.logLevel)
    } throws: {
      "\($0)".hasPrefix("MUSTER_LOG_LEVEL: ") && "\($0)".contains("debug, info")
    }
  }

  @Test func `a damaged file is read or refused, and never stops the program`() {
    var random = DeterministicRandom(seed: [UInt8](repeating: 5, count: 32))
    var refused = 0
    for _ in 0..<5000 {
      var bytes = Array(example.utf8)
      for _ in 0...random.uniform(below: 6) {
        let place = Int(random.uniform(below: UInt64(bytes.count)))
        switch random.uniform(below: 3) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.uint64())
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 9))
        default: bytes.insert(contentsOf: bytes[..<place].suffix(20), at: place)
        }
        if bytes.isEmpty { bytes = [0] }
      }
      do {
        _ = try settings(String(decoding: bytes, as: UTF8.self))
      } catch {
        refused += 1
      }
    }
    #expect(refused > 100)
  }
}
