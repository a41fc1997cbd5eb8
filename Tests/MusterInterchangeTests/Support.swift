import Foundation
import MusterInterchange
import MusterModel

func degrees(_ latitude: Double, _ longitude: Double) -> Coordinate {
  guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
    preconditionFailure("\(latitude), \(longitude) is no place")
  }
  return place
}

/// Reads the fences of a text.
func fences(_ text: String) throws(GeoJSONFault) -> [ImportedFence] {
  try GeoJSON.fences(from: Data(text.utf8))
}

/// Returns the one-line fault of a text; nil if it is accepted.
func refusal(_ text: String) -> String? { refusal(Data(text.utf8)) }

func refusal(_ data: Data) -> String? {
  do {
    _ = try GeoJSON.fences(from: data)
    return nil
  } catch {
    return error.description
  }
}

/// A Polygon with one ring.
func polygon(_ ring: String) -> String { #"{"type":"Polygon","coordinates":[\#(ring)]}"# }

/// A file in the shared data folder beside the repository.
func sharedData(_ path: String) -> URL {
  let repository = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  return repository.appending(path: "../shared").appending(path: path).standardizedFileURL
}
