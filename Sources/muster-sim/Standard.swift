import Foundation

/// Unbuffered output to standard output and standard error.
enum Standard {
  static let output = FileHandle.standardOutput
  static let error = FileHandle.standardError
}

extension FileHandle {
  func write(_ text: String) { write(Data(text.utf8)) }
}

/// The reason why a command failed, in one line; the exit code is 1.
struct Refusal: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
