// French: shapes of overlays, and zones from a file, loaded when there are some.

export default {
  "shape.muster": "En faire un point de rassemblement",
  "shape.hazard": "En faire une zone de danger",
  "shape.info": "En faire une zone d’information",
  "shape.report": "En faire un signalement",
  "shape.filed": "Signalement envoyé : {title}",
  "import.none": "Ce fichier n’a pas de zone.",
  "import.many": "Ce fichier a {n} zones. Importez-en 200 au plus à la fois.",
  "import.review": "Zones de {file}",
  "import.radius": "Rayon d’une zone autour de chaque point, mètres",
  "import.take": "Importer la zone",
  "import.name": "Chaque zone a besoin d’un nom.",
  "import.save": "Enregistrer la sélection",
  "import.saved": "Enregistrée.",
  "import.refused": "Non enregistrées : {n} sur {of}. Les raisons sont ci-dessus.",
  "import.left": "Laissés de côté : {n}",
};
