import Foundation
import MusterLocation

/// A file of shapes: KML or GPX, the shapes and the table of a Shapefile, and a geometry of a
/// GeoPackage.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let data = Data(bytes: start, count: count)
  _ = try? XMLOverlay.shapes(of: data)
  let bytes = [UInt8](data)
  var shapes = OverlayShapes()
  let text = String(decoding: bytes.suffix(200), as: UTF8.self)
  try? Shapefile(shapes: bytes, table: bytes, projection: nil, encoding: text)
    .add(to: &shapes, of: "file")
  _ = ReferenceSystem(wellKnownText: text)
  try? shapes.add(geoPackageGeometry: bytes, in: .degrees, [:], at: "row 1")
  return 0
}
