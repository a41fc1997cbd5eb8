internal import Foundation
internal import Hummingbird
internal import MusterInterchange
internal import NIOCore

/// The dashboard, served to every client of the API: its files, the system's Leaflet, and MapLibre
/// GL if it is installed.
///
/// All files are read once at the start, so that no path of a request reaches the file system: a
/// path is looked up among the loaded files. The map of the world is open, and read by tiles.
///
///     /                          index.html
///     /dashboard/…               the page's own files
///     /dashboard/leaflet/…       Leaflet's
///     /dashboard/sw.js           the service worker, with the names of these and their version
///     /dashboard/maplibre/…      MapLibre's, which a page loads for vector maps only
///     /dashboard/world/…         tiles of the coarse map of the world
struct Dashboard: Sendable {
  /// The path of Debian's `libjs-leaflet`.
  static let leaflet = URL(filePath: "/usr/share/javascript/leaflet", directoryHint: .isDirectory)

  private static let root = "/dashboard/"
  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
    "webmanifest": "application/manifest+json",
  ]
  /// Allows scripts, styles, images and requests only from this origin, and no frames. `blob:` is
  /// an image that the user chose in this browser, or the worker in which MapLibre reads tiles.
  private static func policy(forms: String) -> String {
    "default-src 'self'; img-src 'self' blob:; worker-src 'self' blob:; object-src 'none'; "
      + "base-uri 'none'; form-action \(forms); frame-ancestors 'none'"
  }

  private struct File {
    let bytes: ByteBuffer
    let type: String
    let tag: String
  }

  private let files: [String: File]
  private let world: WorldMap

  /// - Parameters:
  ///   - directory: the page's own files; see `installed`.
  ///   - leaflet: the files of Leaflet.
  ///   - maplibre: the files of MapLibre GL, by `Scripts/maplibre.sh`.
  init(directory: URL, leaflet: URL, maplibre: URL) {
    var files = Self.read(leaflet, below: Self.root + "leaflet/")
      .merging(Self.read(maplibre, below: Self.root + "maplibre/")) { $1 }
      .merging(Self.read(directory, below: Self.root)) { $1 }
      .merging(Self.translated(["join", "token"], in: directory)) { $1 }
    files[Self.worker] = files[Self.worker].map { Self.worker($0, keeping: files) }
    self.files = files
    world = WorldMap(beside: directory)
  }

  private static let worker = root + "sw.js"
  /// Parts of the names of files that are read before a login, or that no page loads.
  private static let unkept = [
    "index.html", "sw.js", "join", "token", "leaflet.esm", "leaflet/leaflet.js", "maplibre/",
  ]

  /// Returns the service worker with the names of the page's files and their version, so that
  /// browsers fetch all of them again after a change of any.
  private static func worker(_ file: File, keeping files: [String: File]) -> File {
    let names = files.keys.filter { name in !unkept.contains(where: name.contains) }.sorted()
    let kept =
      names.compactMap { files[$0] } + [files[root + "index.html"], file].compactMap(\.self)
    let version = tag(of: Data(kept.map(\.tag).joined().utf8))
    let list = JSON.strings(["/"] + names).text
    var bytes = ByteBuffer(string: "const version = \(version);\nconst files = \(list);\n")
    bytes.writeImmutableBuffer(file.bytes)
    return File(bytes: bytes, type: file.type, tag: version)
  }

  /// The folder of the page's files: `../share/muster/dashboard` relative to the program, as `make
  /// install` places them; in a checkout the resources beside the program; else the path of a
  /// package installed under `/usr`.
  static var installed: URL {
    folder("dashboard", inCheckout: "muster_MusterHTTP.resources/dashboard")
  }

  /// The folder of MapLibre GL, likewise; in a checkout `.build/maplibre`.
  static var maplibre: URL { folder("maplibre", inCheckout: "../../maplibre") }

  private static func folder(_ name: String, inCheckout path: String) -> URL {
    let program = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? Bundle.main.bundleURL
    let folder = program.deletingLastPathComponent()
    let shared = URL(filePath: "/usr/share/muster/\(name)", directoryHint: .isDirectory)
    let candidates = ["../share/muster/\(name)", path].map {
      folder.appending(path: $0, directoryHint: .isDirectory).standardizedFileURL
    }
    return candidates.first { FileManager.default.fileExists(atPath: $0.path) } ?? shared
  }

  /// Whether a request is for the page; trackers also request `/`, but always with a query.
  static func owns(_ request: Request) -> Bool {
    request.uri.path.hasPrefix(root)
      || request.uri.path == "/" && request.isRead && (request.uri.query ?? "").isEmpty
  }

  func answer(_ request: Request) async -> Response {
    guard request.isRead else {
      return Problem(.methodNotAllowed, "only GET, HEAD", allowed: ["GET", "HEAD"]).answer.response
    }
    if let tile = await world.answer(request) { return tile.response }
    let path = request.uri.path
    guard path != "/" else { return page("index.html", unless: request.headers[.ifNoneMatch]) }
    guard let file = files[path] else {
      return Problem(.notFound, "there is no such file").answer.response
    }
    var response = answer(file, unless: request.headers[.ifNoneMatch])
    // The worker opens the page at `/`, above its own folder.
    if path == Self.worker { response.headers[.serviceWorkerAllowed] = "/" }
    return response
  }

  /// Returns one of the page's own files, which has another path outside.
  func page(_ name: String, unless tag: String? = nil) -> Response {
    guard let file = files[Self.root + name] else {
      return Problem(.notFound, "the dashboard's files are not installed").answer.response
    }
    return answer(file, unless: tag)
  }

  private func answer(_ file: File, unless tag: String?) -> Response {
    let headers = Self.headers(of: file)
    guard tag != file.tag else {
      return Response(status: .notModified, headers: headers)
    }
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: file.bytes))
  }

  /// The first two letters of the browser's language.
  static func language(of request: Request) -> String {
    request.headers[.acceptLanguage]?.prefix(2).lowercased() ?? ""
  }

  /// The name of a page without scripts for texts, in a language if it exists, else in English.
  func localized(_ name: String, in language: String) -> String {
    let own = PageTexts.file(name, in: language)
    return files[Self.root + own] == nil ? "\(name).html" : own
  }

  /// The page for a browser without the token: instructions in the browser's language.
  func locked(_ request: Request) -> Response {
    guard let file = files[Self.root + localized("token", in: Self.language(of: request))] else {
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

  /// Reads the files of a folder; unreadable ones count as missing.
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

  /// Returns pages in each language of their texts; one whose files are unreadable is missing.
  private static func translated(_ names: [String], in directory: URL) -> [String: File] {
    var files: [String: File] = [:]
    for name in names {
      do {
        let template = try String(
          contentsOf: directory.appending(path: "\(name).html"), encoding: .utf8)
        let texts = try PageTexts(
          json: Data(contentsOf: directory.appending(path: "texts/\(name).json")))
        for language in texts.languages {
          let page = Data(texts.page(template, in: language).utf8)
          files[root + PageTexts.file(name, in: language)] = File(
            bytes: ByteBuffer(bytes: page), type: types["html"] ?? "", tag: tag(of: page))
        }
      } catch {
        continue
      }
    }
    return files
  }

  /// FNV-1a: it distinguishes versions of one file, and is not security-relevant.
  private static func tag(of data: Data) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    data.withUnsafeBytes { bytes in
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return "\"\(String(hash, radix: 16))\""
  }
}
