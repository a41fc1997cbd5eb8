import Foundation

/// Standard output and standard error, written at once.
enum Standard {
  static let output = FileHandle.standardOutput
  static let error = FileHandle.standardError
}

extension FileHandle {
  func write(_ text: String) { write(Data(text.utf8)) }
}

/// Why a command did not do what it was asked, in a line; the exit code is 1.
struct Refusal: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
