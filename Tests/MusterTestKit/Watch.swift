import Foundation
import Synchronization

/// Kills a process when the tests themselves are killed: a shell that waits for input on a pipe,
/// which the system closes together with its writer.
package final class Watch: Sendable {
  private let pipe = Pipe()
  private let shell = Mutex(Process())

  package init(over child: Child) throws {
    try shell.withLock { shell in
      shell.executableURL = URL(filePath: "/bin/sh")
      shell.arguments = ["-c", "read -r word || kill -9 $0", "\(child.pid)"]
      shell.standardInput = pipe
      shell.standardOutput = FileHandle.nullDevice
      shell.standardError = FileHandle.nullDevice
      try shell.run()
    }
  }

  /// MUST be called when the process has ended, because its id may be reused.
  package func end() {
    do {
      try pipe.fileHandleForWriting.write(contentsOf: Data("done\n".utf8))
    } catch {
      print("a watching shell ended early: \(error)")
    }
    shell.withLock { $0.waitUntilExit() }
  }
}
