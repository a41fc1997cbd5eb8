// German: shapes of overlays, and zones from a file, loaded when there are some.

export default {
  "shape.muster": "Zum Sammelplatz machen",
  "shape.hazard": "Zur Gefahrenzone machen",
  "shape.info": "Zur Infozone machen",
  "shape.report": "Meldung daraus erstellen",
  "shape.filed": "Meldung erfasst: {title}",
  "import.none": "Diese Datei hat keine Zone.",
  "import.many": "Diese Datei hat {n} Zonen. Importieren Sie höchstens 200 auf einmal.",
  "import.review": "Zonen aus {file}",
  "import.radius": "Radius einer Zone um jeden Punkt, Meter",
  "import.take": "Zone importieren",
  "import.name": "Jede Zone braucht einen Namen.",
  "import.save": "Ausgewählte speichern",
  "import.saved": "Gespeichert.",
  "import.refused": "Nicht gespeichert: {n} von {of}. Die Gründe stehen oben.",
  "import.left": "Ausgelassen: {n}",
};
