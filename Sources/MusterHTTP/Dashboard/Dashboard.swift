internal import Foundation
internal import Hummingbird
internal import NIOCore

/// The page for people, served to whoever the API is for: its files, and Leaflet as the system has
/// it.
///
/// All files are read once, so that no path of a request ever reaches the file system: a path is
/// looked up among those that are there.
///
///     /                          index.html
///     /dashboard/…               the page's own files
///     /dashboard/leaflet/…       Leaflet's
struct Dashboard: Sendable {
  /// Where Debian's `libjs-leaflet` has it.
  static let leaflet = URL(filePath: "/usr/share/javascript/leaflet", directoryHint: .isDirectory)

  private static let root = "/dashboard/"
  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
  ]
  /// Scripts, styles, pictures and requests from here alone, and none of them inside a page.
  private static func policy(forms: String) -> String {
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action \(forms); "
      + "frame-ancestors 'none'"
  }

  private struct File {
    let bytes: ByteBuffer
    let type: String
    let tag: String
  }

  private let files: [String: File]

  /// - Parameters:
  ///   - directory: with the page's own files; see `installed`.
  ///   - leaflet: with Leaflet's.
  init(directory: URL, leaflet: URL) {
    files = Self.read(leaflet, below: Self.root + "leaflet/")
      .merging(Self.read(directory, below: Self.root)) { $1 }
  }

  /// The folder of the page's files: `../share/muster/dashboard` from the program's folder, as
  /// `make install` puts them; in a checkout the resources beside the program; else what a package
  /// installed under `/usr`.
  static var installed: URL {
    let program = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? Bundle.main.bundleURL
    let folder = program.deletingLastPathComponent()
    let shared = URL(filePath: "/usr/share/muster/dashboard", directoryHint: .isDirectory)
    let candidates = ["../share/muster/dashboard", "muster_MusterHTTP.resources/dashboard"].map {
      folder.appending(path: $0, directoryHint: .isDirectory).standardizedFileURL
    }
    return candidates.first { FileManager.default.fileExists(atPath: $0.path) } ?? shared
  }

  /// Whether a request is for the page; phones ask at `/` too, and always say something.
  static func owns(_ request: Request) -> Bool {
    request.uri.path.hasPrefix(root)
      || request.uri.path == "/" && request.method == .get && (request.uri.query ?? "").isEmpty
  }

  func answer(_ request: Request) -> Response {
    guard request.method == .get else {
      return Problem(.methodNotAllowed, "only GET", allowed: ["GET"]).answer.response
    }
    let path = request.uri.path
    guard let file = files[path == "/" ? Self.root + "index.html" : path] else {
      let reason =
        path == "/" ? "the dashboard's files are not installed" : "there is no such file"
      return Problem(.notFound, reason).answer.response
    }
    let headers = Self.headers(of: file)
    guard request.headers[.ifNoneMatch] != file.tag else {
      return Response(status: .notModified, headers: headers)
    }
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: file.bytes))
  }

  /// What the page shows to a browser that does not know the token: what to do, in its language.
  func locked(_ request: Request) -> Response {
    let isPortuguese = request.headers[.acceptLanguage]?.lowercased().hasPrefix("pt") ?? false
    guard let file = files[Self.root + (isPortuguese ? "token.pt.html" : "token.html")] else {
      return Problem(.unauthorized, "open the address that `muster run` prints").answer.response
    }
    var headers = Self.headers(of: file, forms: "'self'")
    headers[.eTag] = nil
    headers[.cacheControl] = "no-store"
    headers[.wwwAuthenticate] = "Bearer realm=\"muster\""
    return Response(status: .unauthorized, headers: headers, body: .init(byteBuffer: file.bytes))
  }

  private static func headers(of file: File, forms: String = "'none'") -> HTTPFields {
    [
      .contentType: file.type, .eTag: file.tag, .contentSecurityPolicy: policy(forms: forms),
      .xContentTypeOptions: "nosniff", .cacheControl: "no-cache",
      .referrerPolicy: "no-referrer", .crossOriginResourcePolicy: "same-origin",
    ]
  }

  // MARK: Reading

  /// What cannot be read is not there.
  private static func read(_ directory: URL, below root: String) -> [String: File] {
    guard let names = FileManager.default.enumerator(atPath: directory.path) else { return [:] }
    var files: [String: File] = [:]
    for case let name as String in names {
      let place = directory.appending(path: name)
      guard let type = types[place.pathExtension],
        let data = FileManager.default.contents(atPath: place.path)
      else { continue }
      files[root + name] = File(bytes: ByteBuffer(bytes: data), type: type, tag: tag(of: data))
    }
    return files
  }

  /// FNV-1a: it tells versions of one file apart, and nothing hangs on it.
  private static func tag(of data: Data) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in data { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "\"\(String(hash, radix: 16))\""
  }
}
