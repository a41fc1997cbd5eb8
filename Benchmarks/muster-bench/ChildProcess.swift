import Foundation

/// Why a bench has no result.
struct BenchFault: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Runs a program to its end and answers what it wrote. Throws `BenchFault` where it fails.
func output(of program: String, _ arguments: [String]) throws -> Data {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [program] + arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = program == CommandLine.arguments[0] ? nil : FileHandle.nullDevice
  try process.run()
  let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw BenchFault("\(program) failed with status \(process.terminationStatus)")
  }
  return data
}
