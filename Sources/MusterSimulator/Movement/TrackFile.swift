import Foundation
import MusterModel

/// A recorded track, translated to the start position of a subject: GPX, or CSV with a header and
/// the columns seconds, latitude and longitude.
enum TrackFile {
  struct Fault: Error {
    let reason: String
  }

  private static let longestMetres = 100_000.0

  static func read(_ file: URL, from place: GroundPoint) throws(Fault) -> [Waypoint] {
    let text: String
    do {
      text = try String(contentsOf: file, encoding: .utf8)
    } catch {
      throw Fault(reason: "there is no such file to read")
    }
    let points = file.pathExtension == "gpx" ? try gpx(text) : try csv(text)
    guard let first = points.first, points.count > 1 else {
      throw Fault(reason: "it has no two points")
    }
    let origin = Terrain.point(of: first.place)
    var waypoints: [Waypoint] = []
    for point in points {
      let metres = Terrain.point(of: point.place)
      let waypoint = Waypoint(
        atMilliseconds: point.milliseconds - first.milliseconds,
        point: GroundPoint(
          north: place.north + metres.north - origin.north,
          east: place.east + metres.east - origin.east))
      guard waypoint.point.distance(to: place) < Self.longestMetres else {
        throw Fault(reason: "it leaves the terrain")
      }
      guard waypoints.last.map({ $0.atMilliseconds < waypoint.atMilliseconds }) ?? true else {
        throw Fault(reason: "its times run backwards")
      }
      waypoints.append(waypoint)
    }
    return waypoints
  }

  private typealias Point = (milliseconds: Int64, place: Coordinate)

  private static func csv(_ text: String) throws(Fault) -> [Point] {
    var points: [Point] = []
    for (index, line) in text.split(whereSeparator: \.isNewline).enumerated() where index > 0 {
      let columns = line.split(separator: ",").map { Double($0) }
      guard columns.count == 3, let seconds = columns[0], let latitude = columns[1],
        let longitude = columns[2], (0...1e9).contains(seconds),
        let place = Coordinate(latitude: latitude, longitude: longitude)
      else { throw Fault(reason: "line \(index + 1) is not seconds, latitude, longitude") }
      points.append((Int64(seconds * 1000), place))
    }
    return points
  }

  /// Parses position and time of the track points only.
  private static func gpx(_ text: String) throws(Fault) -> [Point] {
    var points: [Point] = []
    for part in text.components(separatedBy: "<trkpt").dropFirst() {
      guard let latitude = attribute("lat", of: part), let longitude = attribute("lon", of: part),
        let place = Coordinate(latitude: latitude, longitude: longitude),
        let begin = part.range(of: "<time>"),
        let end = part.range(of: "</time>", range: begin.upperBound..<part.endIndex),
        let time = Timestamp(rfc3339: part[begin.upperBound..<end.lowerBound])
      else { throw Fault(reason: "point \(points.count + 1) lacks its place or its time") }
      points.append((time.milliseconds, place))
    }
    return points
  }

  private static func attribute(_ name: String, of tag: String) -> Double? {
    for quote in ["\"", "'"] {
      guard let begin = tag.range(of: " \(name)=\(quote)"),
        let end = tag.range(of: quote, range: begin.upperBound..<tag.endIndex)
      else { continue }
      return Double(tag[begin.upperBound..<end.lowerBound])
    }
    return nil
  }
}
