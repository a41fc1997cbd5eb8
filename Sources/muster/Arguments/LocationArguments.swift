internal import Foundation
internal import MusterLocation
internal import MusterModel

/// The address of gpsd: `HOST`, or `HOST:PORT`.
struct GpsdArgument: Hashable {
  let host: String
  let port: Int

  init(parsing text: String) throws(BadArgument) {
    let isPlainHost = !text.contains(":") || (text.hasPrefix("[") && text.hasSuffix("]"))
    let whole = isPlainHost ? text + ":\(GpsdSource.defaultPort)" : text
    (host, port) = try AddressArgument(parsing: whole).parts
  }
}

/// The source of NMEA sentences: a file, a device, `-` for standard input, `udp://[HOST]:PORT`.
enum NMEAArgument: Hashable {
  case file(String)
  case standardInput
  case datagrams(host: String, port: Int)

  init(parsing text: String) throws(BadArgument) {
    if text == "-" {
      self = .standardInput
    } else if text.hasPrefix("udp://") {
      let rest = text.dropFirst("udp://".count)
      let address = try AddressArgument(parsing: (rest.hasPrefix(":") ? "0.0.0.0" : "") + rest)
      let (host, port) = address.parts
      self = .datagrams(host: host, port: port)
    } else if text.contains("://") || text.isEmpty {
      throw BadArgument("give a file, a device, - for standard input, or udp://:10110")
    } else {
      self = .file(text)
    }
  }
}

extension AddressArgument {
  /// Without the brackets of an IPv6 address.
  var parts: (host: String, port: Int) {
    let colon = text.lastIndex(of: ":") ?? text.endIndex
    let host = text[..<colon].filter { $0 != "[" && $0 != "]" }
    return (String(host), Int(text[colon...].dropFirst()) ?? 0)
  }
}

/// The chosen source of this laptop's positions.
enum LocationChoice {
  case gpsd(GpsdArgument)
  case nmeaStream(StreamInput)
  case nmeaDatagrams(host: String, port: Int)
  /// Recorded, to be replayed.
  case track(GPXTrack, file: String)

  /// The name that `status` shows.
  var name: String {
    switch self {
    case .gpsd(let gpsd): "gpsd \(Endpoint.authority(gpsd.host, gpsd.port))"
    case .nmeaStream(.standardInput): "NMEA on standard input"
    case .nmeaStream(.path(let path)): "NMEA \(path)"
    case .nmeaDatagrams(let host, let port): "NMEA udp://\(Endpoint.authority(host, port))"
    case .track(_, let file): "track \(file)"
    }
  }

  /// A plain file is a recording; anything else is a receiver.
  init(_ argument: NMEAArgument) throws(Refusal) {
    switch argument {
    case .datagrams(let host, let port): self = .nmeaDatagrams(host: host, port: port)
    case .standardInput: self = .nmeaStream(.standardInput)
    case .file(let path):
      var isDirectory: ObjCBool = false
      let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      let type: FileAttributeType?
      do {
        type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
      } catch {
        type = nil
      }
      // A receiver that is not plugged in yet has no file.
      guard exists || path.hasPrefix("/dev/") else {
        throw Refusal("there is no file \(path): check the path")
      }
      guard !isDirectory.boolValue else { throw Refusal("\(path) is a folder: give a file") }
      guard type == .typeRegular else {
        self = .nmeaStream(.path(path))
        return
      }
      self = .track(try Self.recorded(path), file: path)
    }
  }

  private static func recorded(_ path: String) throws(Refusal) -> GPXTrack {
    let data = try InputFile.data(of: path, limit: GPXTrack.maximumBytes)
    let track = GPXTrack(nmea: data)
    guard !track.points.isEmpty else {
      throw Refusal("\(path): no NMEA sentence has a position. Give a recording of a receiver")
    }
    return track
  }
}
