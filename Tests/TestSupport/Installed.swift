package import Foundation

/// What tests need besides our own programs: a test whose program or file is missing is skipped by
/// a trait, so that the report names it.
package enum Installed {
  /// Whether a program is on the search path, or where only root searches.
  package static func has(_ programs: String...) -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
    return programs.allSatisfy { program in
      folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }
  }

  package static func hasFile(_ file: URL) -> Bool {
    FileManager.default.fileExists(atPath: file.path)
  }
}
