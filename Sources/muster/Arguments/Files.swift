internal import Foundation
internal import MusterModel

/// A file that the user named, read whole.
enum InputFile {
  /// Throws `Refusal` for a file of more than `limit` bytes, without reading it whole.
  static func bytes(of path: String, limit: Int) throws(Refusal) -> [UInt8] {
    Array(try data(of: path, limit: limit))
  }

  static func data(of path: String, limit: Int) throws(Refusal) -> Data {
    let contents: Data
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      contents = try file.read(upToCount: limit + 1) ?? Data()
    } catch {
      throw refusal("read", path, error)
    }
    guard contents.count <= limit else {
      let most = limit.isMultiple(of: 1 << 20) ? "\(limit >> 20) MiB" : "\(limit) bytes"
      throw Refusal("\(path) is longer than \(most): give a smaller file")
    }
    return contents
  }

  /// Returns the text of a file in UTF-8, or in UTF-16 with a byte order mark as PowerShell writes
  /// it. The mark is left out.
  static func text(of path: String, limit: Int) throws(Refusal) -> String {
    let text = try textBytes(of: path, limit: limit)
    guard let text = String(validating: text, as: UTF8.self) else { throw notUTF8(path) }
    return text
  }

  /// Returns the bytes of such a text. Text without a mark may be in any encoding: of a secret,
  /// only the bytes count.
  static func textBytes(of path: String, limit: Int) throws(Refusal) -> [UInt8] {
    let bytes = try bytes(of: path, limit: limit)
    do throws(MarkedText.Fault) {
      return try MarkedText.unmarked(bytes)
    } catch {
      throw notUTF8(path)
    }
  }

  /// Returns the bytes of the first line of such a text, without its end.
  static func firstLine(of path: String, limit: Int) throws(Refusal) -> [UInt8] {
    Array(try textBytes(of: path, limit: limit).prefix { $0 != 0x0A && $0 != 0x0D })
  }

  private static func notUTF8(_ path: String) -> Refusal {
    Refusal("\(path) is not text in UTF-8: save it as UTF-8")
  }

  static func refusal(_ deed: String, _ path: String, _ error: any Error) -> Refusal {
    Refusal("cannot \(deed) \(path): \(reason(error)). Check the path and its permissions")
  }

  /// - Parameter code: an `errno`.
  static func refusal(_ deed: String, _ path: String, _ code: Int32) -> Refusal {
    Refusal(
      "cannot \(deed) \(path): \(String(cString: strerror(code))). Check the path and its "
        + "permissions")
  }

  private static func reason(_ error: any Error) -> String {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    if cause.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(cause.code))) }
    if (error as? CocoaError)?.code == .fileNoSuchFile { return String(cString: strerror(ENOENT)) }
    return error.localizedDescription
  }
}

/// A file that the user named, written whole or not at all.
enum OutputFile {
  static func write(_ contents: [UInt8], to path: String) throws(Refusal) {
    do {
      try Data(contents).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw InputFile.refusal("write", path, error)
    }
  }
}
