import Foundation

/// The geometry library shapely, through Python, on the same folder: fences in its tree and
/// prepared, the positions of one time at a time. The order of events and their making are its
/// sets', done as fast as Python can.
enum ShapelyPeer {
  /// Positions a second of its processor time; nil where Python or shapely is missing.
  static func run(folder: String) throws -> Double? {
    do {
      let line = try output(of: "python3", ["-c", program, folder])
      return Double(String(decoding: line, as: UTF8.self).filter { !$0.isWhitespace })
    } catch is BenchFault {
      return nil
    }
  }

  private static let program = """
    import json, sys, time
    import numpy as np, shapely
    features = json.load(open(sys.argv[1] + "/fences.geojson"))["features"]
    features.sort(key=lambda feature: feature["properties"]["id"])
    rows = np.loadtxt(sys.argv[1] + "/positions.csv", delimiter=",", skiprows=1)
    device, t = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
    x, y = rows[:, 2].copy(), rows[:, 3].copy()
    fences = np.array([shapely.Polygon(f["geometry"]["coordinates"][0]) for f in features])
    start = time.process_time()
    shapely.prepare(fences)
    tree = shapely.STRtree(fences)
    ticks = np.flatnonzero(np.r_[True, t[1:] != t[:-1], True])
    before, events = np.empty(0, np.int64), 0
    for low, high in zip(ticks[:-1], ticks[1:]):
        point, fence = tree.query(shapely.points(x[low:high], y[low:high]))
        inside = shapely.contains_xy(fences[fence], x[low:high][point], y[low:high][point])
        now = np.sort(device[low:high][point[inside]] * len(fences) + fence[inside])
        events += len(np.setdiff1d(now, before, True)) + len(np.setdiff1d(before, now, True))
        before = now
    print(len(t) / (time.process_time() - start))
    """
}
