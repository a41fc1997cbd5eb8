/// Variables of the environment as people write them.
public enum EnvironmentVariable {
  /// Returns the value of a variable; nil if there is none, or it is empty. A file of variables
  /// that was edited on Windows leaves a CR behind each, which is left out.
  public static func text(_ name: String, in environment: [String: String]) -> String? {
    let text = environment[name].map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }
    return text.flatMap { $0.isEmpty ? nil : $0 }
  }
}
