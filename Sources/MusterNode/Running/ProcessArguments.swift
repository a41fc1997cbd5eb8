internal import Foundation

/// The arguments of this process, which every user of the machine can read while it runs.
public enum ProcessArguments {
  /// Overwrites the secrets among the arguments in the memory that `ps` and `/proc/PID/cmdline`
  /// show: invites, passwords in URLs, and queries of URLs. The parsed arguments are unaffected.
  ///
  /// Other users can read them from the start of the process until this call, so a script gives an
  /// invite on standard input. The caller MUST have read `CommandLine.arguments`.
  public static func hideSecrets() {
    #if os(Linux)
      guard let memory = memory() else { return }
      var previous: [UInt8] = []
      var start = 0
      for end in memory.indices where memory[end] == 0 {
        let argument = Array(memory[start..<end])
        if let range = secret(in: argument, after: previous) {
          for place in range { memory[start + place] = UInt8(ascii: "*") }
        }
        (previous, start) = (argument, end + 1)
      }
    #endif
  }

  /// Returns a message without the secrets among the arguments, such as an error that quotes one.
  public static func withoutSecrets(_ message: String, of arguments: [String]) -> String {
    var (message, previous) = (message, "")
    for argument in arguments {
      let bytes = Array(argument.utf8)
      if let range = secret(in: bytes, after: Array(previous.utf8)) {
        let part = String(decoding: bytes[range], as: UTF8.self)
        message = message.replacingOccurrences(of: part, with: "…")
      }
      previous = argument
    }
    return message
  }

  /// Returns the part of an argument that is secret; nil for none.
  ///
  /// - Parameter previous: the argument before it, perhaps its option.
  static func secret(in argument: [UInt8], after previous: [UInt8]) -> Range<Int>? {
    // One byte for each: a cut character or upper case must not hide what follows.
    let text = argument.map { $0 < 0x80 ? Character(Unicode.Scalar($0)) : "?" }
    func place(of word: String) -> Int? {
      let word = Array(word)
      guard text.count >= word.count else { return nil }
      return (0...text.count - word.count).first { start in
        zip(text[start...], word).allSatisfy { $0.lowercased() == $1.lowercased() }
      }
    }
    func range(from start: Int, to end: Int) -> Range<Int>? { start < end ? start..<end : nil }
    for mark in ["muster://join/", "#invite=", "password="] {
      if let start = place(of: mark) { return range(from: start + mark.count, to: text.count) }
    }
    let scheme = place(of: "://")
    if let at = text.lastIndex(of: "@") {
      if let scheme { return range(from: scheme + 3, to: at) }
      if String(text).hasPrefix("--proxy=") { return range(from: "--proxy=".count, to: at) }
      if previous == Array("--proxy".utf8) { return range(from: 0, to: at) }
    }
    guard let scheme, let query = text[scheme...].firstIndex(of: "?") else { return nil }
    return range(from: query + 1, to: text.count)
  }

  #if os(Linux)
    /// The memory between `arg_start` and `arg_end` of proc(5), fields 48 and 49 of the status.
    private static func memory() -> UnsafeMutableBufferPointer<UInt8>? {
      guard let file = FileHandle(forReadingAtPath: "/proc/self/stat") else { return nil }
      defer { file.closeFile() }
      let status = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
      // The name of the program, in parentheses, may contain spaces.
      guard let name = status.lastIndex(of: ")") else { return nil }
      let fields = status[name...].dropFirst().split(whereSeparator: \.isWhitespace)
      guard fields.count > 46, let start = UInt(fields[45]), let end = UInt(fields[46]),
        start < end, let base = UnsafeMutablePointer<UInt8>(bitPattern: start)
      else { return nil }
      return UnsafeMutableBufferPointer(start: base, count: Int(end - start))
    }
  #endif
}
