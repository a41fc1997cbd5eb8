// Spanish: shapes of overlays, and zones from a file, loaded when there are some.

export default {
  "shape.muster": "Crear un punto de encuentro",
  "shape.hazard": "Crear una zona de peligro",
  "shape.info": "Crear una zona de información",
  "shape.report": "Crear un informe",
  "shape.filed": "Informe creado: {title}",
  "import.none": "Este archivo no tiene zonas.",
  "import.many": "Este archivo tiene {n} zonas. Importe como máximo 200 a la vez.",
  "import.review": "Zonas de {file}",
  "import.radius": "Radio de una zona alrededor de cada punto, metros",
  "import.take": "Importar zona",
  "import.name": "Cada zona necesita un nombre.",
  "import.save": "Guardar las elegidas",
  "import.saved": "Guardada.",
  "import.refused": "Sin guardar: {n} de {of}. Los motivos están arriba.",
  "import.left": "Omitidos: {n}",
};
