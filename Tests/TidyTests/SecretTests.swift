import Testing

/// No log holds a secret: a type that stores one prints nothing of it, and libraries cannot log
/// what a service holds (decision 0100).
@Suite struct SecretTests {
  private static let modifiers: Set<Substring> = [
    "public", "package", "private", "fileprivate", "private(set)", "final", "indirect",
  ]
  private static let types: Set<String> = [
    "String", "[UInt8]", "[[UInt8]]", "[String]", "Data", "SecretBytes", "ByteString",
  ]

  /// Returns the name of a stored property that holds a secret; nil for any other line.
  private static func secret(in line: Substring) -> String? {
    guard line.contains("let ") || line.contains("var "), !line.hasSuffix("{") else { return nil }
    let words = line.split(separator: " ").drop { modifiers.contains($0) }
    guard words.count > 2, words.first == "let" || words.first == "var" else { return nil }
    let (name, type) = (words.dropFirst().first ?? "", words.dropFirst(2).first ?? "")
    guard name.hasSuffix(":"), types.contains(type.filter { $0 != "?" }) else { return nil }
    let lower = name.dropLast().lowercased()
    let endings = [
      "secret", "secrets", "password", "passphrase", "privatekey", "token", "cookies", "cookie",
      "authorization", "rootseed",
    ]
    let isSecret = endings.contains { lower.hasSuffix($0) } || ["pin", "proof"].contains(lower)
    return isSecret ? String(name.dropLast()) : nil
  }

  /// Properties of that name without a secret, by type and name.
  private static let harmless: Set<String> = []

  @Test func `a type that stores a secret is printed without it`() throws {
    let files = try SourceTree(below: ["Sources"]).files.filter {
      !$0.isGenerated && !["MusterSimulator", "MusterAttackers"].contains($0.target)
    }
    let redacted = Self.redactedTypes(in: files)
    var count = 0
    for file in files {
      let lines = file.lines
      for (index, line) in lines.enumerated() {
        guard let property = Self.secret(in: line),
          let type = Self.typeAround(index, in: lines)
        else { continue }
        let name = "\(type.name).\(property)"
        if type.isLocal(index, in: lines) || Self.harmless.contains(name) { continue }
        count += 1
        if !redacted.contains(type.name) {
          Issue.record("\(file.path):\(index + 1): \(name) is printed: make \(type.name) Redacted")
        }
      }
    }
    #expect(count > 20)
  }

  @Test func `libraries log no service and at most warnings`() throws {
    for file in try SourceTree(below: ["Sources"]).files {
      for (index, line) in file.lines.enumerated() {
        let place = "\(file.path):\(index + 1)"
        if line.contains("ServiceGroup("), !file.path.hasSuffix("/ProgramServices.swift") {
          Issue.record("\(place) runs services by themselves: use ProgramServices")
        }
        if line.contains("Application("), file.target == "MusterHTTP" {
          let call = file.lines[index...].prefix(16).joined(separator: "\n")
          if !call.contains("logger: quiet)") {
            Issue.record("\(place) gives Hummingbird a logger that is not quiet")
          }
        }
        if line.contains("backgroundActivityLogger") {
          Issue.record("\(place) gives AsyncHTTPClient a logger")
        }
      }
    }
  }

  private struct Around {
    let name: String
    let indent: Int

    /// Whether a line is deeper than the properties of the type: a local of a function.
    func isLocal(_ index: Int, in lines: [Substring]) -> Bool {
      lines[index].prefix { $0 == " " }.count != indent + 2
    }
  }

  /// Returns the name and the indent of the type that a line declares or extends.
  private static func declaration(_ line: Substring) -> Around? {
    let words = line.split(separator: " ").drop { modifiers.contains($0) }
    guard let kind = words.first,
      ["struct", "class", "enum", "actor", "extension"].contains(kind),
      let name = words.dropFirst().first?.prefix(while: { $0.isLetter || $0.isNumber || $0 == "." })
    else { return nil }
    return Around(
      name: String(name.split(separator: ".").last ?? ""), indent: line.prefix { $0 == " " }.count)
  }

  /// The type whose declaration encloses a line.
  private static func typeAround(_ index: Int, in lines: [Substring]) -> Around? {
    let depth = lines[index].prefix { $0 == " " }.count
    for line in lines[..<index].reversed() {
      if let type = declaration(line), type.indent < depth { return type }
    }
    return nil
  }

  /// The types that are `Redacted`, or that reflect themselves without their secret.
  private static func redactedTypes(in files: [SourceTree.File]) -> Set<String> {
    var names: Set<String> = []
    for file in files {
      let lines = file.lines
      for (index, line) in lines.enumerated() {
        guard let type = declaration(line) else { continue }
        let head = lines[index...].prefix(3).joined(separator: " ").prefix { $0 != "{" }
        if head.contains("Redacted") || head.contains("CustomReflectable") {
          names.insert(type.name)
        }
      }
    }
    return names
  }
}
