internal import Foundation
internal import MusterCrypto
public import MusterModel

/// The key with which OwnTracks encrypts messages (its setting *secret encryption key*): a text of
/// up to 32 bytes (<https://owntracks.org/booklet/features/encrypt/>).
public struct OwnTracksKey: Sendable, Redacted {
  private let box: SecretBox

  /// Returns nil if the text is empty or longer.
  public init?(_ text: String) {
    guard let box = SecretBox(paddingKey: Array(text.utf8)) else { return nil }
    self.box = box
  }

  /// Returns the message in the member `data` of an encrypted one; nil if it has another key.
  func open(_ data: String) -> [UInt8]? {
    Data(base64Encoded: data, options: .ignoreUnknownCharacters).flatMap { box.open(Array($0)) }
  }
}
