import Foundation

/// The CRDT library loro, through Python, on the workload of `merge`. It is the peer that is
/// smallest on the wire.
enum LoroPeer {
  /// Nil where Python or loro is missing.
  static func run(updates: Int, records: Int) throws -> MergeResult? {
    do {
      return try MergeResult(
        json: output(of: "python3", ["-c", program, "\(updates)", "\(records)"]))
    } catch is BenchFault {
      return nil
    }
  }

  private static let program = """
    import json, random, resource, sys, time
    from loro import ExportMode, LoroDoc, LoroMap, VersionVector
    updates, records = int(sys.argv[1]), int(sys.argv[2])
    base = LoroDoc(); base.peer_id = 1; root = base.get_map("root")
    for k in range(records): root.insert_container("r%d" % k, LoroMap())
    base.commit(); base = base.export(ExportMode.Snapshot())
    docs = []
    for who in (0, 1):
        doc = LoroDoc(); doc.import_(base); doc.peer_id = 10 + who
        root = doc.get_map("root"); maps = [root.get("r%d" % k).container for k in range(records)]
        draw = random.Random(who)
        for _ in range(updates):
            field, value = "f%d" % draw.randrange(2), "%024x" % draw.getrandbits(64)
            maps[draw.randrange(records)].insert(field, value); doc.commit()
        docs.append(doc)
    a, b = docs
    start, wall = time.process_time(), time.perf_counter()
    va, vb = a.oplog_vv.encode(), b.oplog_vv.encode()
    ub = b.export(ExportMode.Updates(VersionVector.decode(va)))
    ua = a.export(ExportMode.Updates(VersionVector.decode(vb)))
    a.import_(ub); b.import_(ua)
    print(json.dumps({
        "seconds": time.process_time() - start, "wallSeconds": time.perf_counter() - wall,
        "bytes": len(va) + len(vb) + len(ua) + len(ub),
        "peakMebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
    """
}
