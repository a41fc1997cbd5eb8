package import Foundation

/// External requirements of tests. A test whose program or file is missing is skipped by a trait,
/// so that the report names it.
package enum Installed {
  /// Returns whether a program is on the search path, or in a folder of root's search path.
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
