/// The reason why a sealed file cannot be read, or SQLite does not accept the VFS.
package struct SealFault: Error, Hashable, Sendable {
  /// What failed, in a few words.
  package let reason: String
}
