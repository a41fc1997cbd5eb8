// English: shapes of overlays, and zones from a file, loaded when there are some.

export default {
  "shape.muster": "Make an assembly zone",
  "shape.hazard": "Make a hazard zone",
  "shape.info": "Make an info zone",
  "shape.report": "Make a report",
  "shape.filed": "Report filed: {title}",
  "import.none": "This file has no zone.",
  "import.many": "This file has {n} zones. Import at most 200 at once.",
  "import.review": "Zones of {file}",
  "import.radius": "Radius of a zone around each point, metres",
  "import.take": "Import zone",
  "import.name": "Every zone needs a name.",
  "import.save": "Save selected",
  "import.saved": "Saved.",
  "import.refused": "Not saved: {n} of {of}. The reasons are shown above.",
  "import.left": "Left out: {n}",
};
