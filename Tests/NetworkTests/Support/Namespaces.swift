import Foundation
import MusterTestKit

/// The network namespaces of this process, all named `mt<process>-…`. They are removed when a test
/// ends; when this process is killed, by a shell that outlives it; and when both were killed, by
/// the next run.
enum Namespaces {
  static let prefix = "mt\(getpid())-"

  /// The reason why networks cannot be built on this machine; nil if they can.
  static let obstacle: String? = {
    guard geteuid() == 0 else { return "they need root" }
    for tool in ["ip", "tc", "nft"] where path(of: tool) == nil { return "`\(tool)` is missing" }
    do {
      try sweep()
      defer { clear(prefix) }
      let name = prefix + "probe"
      try run("ip", "netns", "add", name)
      try run("ip", "-n", name, "link", "add", "w", "type", "bridge", "mcast_snooping", "0")
      try run("ip", "-n", name, "link", "add", "p", "type", "veth", "peer", "name", "q")
      try run(
        "tc", "-n", name, "qdisc", "add", "dev", "p", "root", "tbf",
        "rate", "64kbit", "burst", "2000", "latency", "1s")
      try Rule.losing(percent: 30).apply(in: name)
      try Rule.withoutMulticast.apply(in: name)
      return nil
    } catch {
      return "\(error)"
    }
  }()

  @discardableResult
  static func run(_ words: String..., input: String = "") throws -> String {
    try run(words, input: input)
  }

  /// Runs a system program and returns its output.
  @discardableResult
  static func run(_ words: [String], input: String = "") throws -> String {
    guard let program = path(of: words[0]) else { throw Failed("no program `\(words[0])`") }
    let (process, question, answer) = (Process(), Pipe(), Pipe())
    process.executableURL = program
    process.arguments = Array(words.dropFirst())
    process.environment = ["PATH": folders.joined(separator: ":"), "LANG": "C.UTF-8"]
    process.standardInput = question
    process.standardOutput = answer
    process.standardError = answer
    try process.run()
    try question.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try question.fileHandleForWriting.close()
    let text = String(
      decoding: try answer.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failed("`\(words.joined(separator: " "))` failed: \(text)")
    }
    return text
  }

  static func path(of program: String) -> URL? {
    folders.map { URL(filePath: "\($0)/\(program)") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Kills all processes in the namespaces with this prefix, and deletes the namespaces.
  static func clear(_ prefix: String) {
    do {
      try run("sh", "-c", clearing, prefix)
    } catch {
      print("network namespaces remain: \(error)")
    }
  }

  private static let folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]

  private static let clearing = """
    for name in $(ip netns list | cut -d ' ' -f 1 | grep "^$0"); do
      for pid in $(ip netns pids "$name"); do kill -9 "$pid"; done
      ip netns delete "$name"
    done
    """

  /// Deletes the namespaces of processes that no longer exist.
  private static func sweep() throws {
    let names = try run("ip", "netns", "list").split(separator: "\n")
    for owner in Set(names.compactMap { $0.prefixMatch(of: /mt(\d+)-/)?.1 }) {
      guard let pid = pid_t(owner), kill(pid, 0) == -1, errno == ESRCH else { continue }
      clear("mt\(owner)-")
    }
  }

  /// A shell that cleans up when this process is killed: it waits for input on a pipe, which the
  /// system closes together with its writer.
  struct Guard {
    private let pipe = Pipe()
    private let shell = Process()

    init(over prefix: String) throws {
      shell.executableURL = URL(filePath: "/bin/sh")
      shell.arguments = [
        "-c", "trap '' INT HUP TERM; read -r word && exit\n" + clearing, prefix,
      ]
      shell.environment = ["PATH": folders.joined(separator: ":")]
      shell.standardInput = pipe
      shell.standardOutput = FileHandle.nullDevice
      shell.standardError = FileHandle.nullDevice
      try shell.run()
    }

    func end() {
      do {
        try pipe.fileHandleForWriting.write(contentsOf: Data("done\n".utf8))
      } catch {
        print("the cleaning shell ended early: \(error)")
      }
      shell.waitUntilExit()
    }
  }
}
