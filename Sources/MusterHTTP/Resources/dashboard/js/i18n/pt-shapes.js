// Portuguese: shapes of overlays, and zones from a file, loaded when there are some.

export default {
  "shape.muster": "Criar um ponto de encontro",
  "shape.hazard": "Criar uma zona de perigo",
  "shape.info": "Criar uma zona de informação",
  "shape.report": "Criar uma ocorrência",
  "shape.filed": "Ocorrência registada: {title}",
  "import.none": "Este ficheiro não tem zonas.",
  "import.many": "Este ficheiro tem {n} zonas. Importe no máximo 200 de cada vez.",
  "import.review": "Zonas de {file}",
  "import.radius": "Raio de uma zona em redor de cada ponto, metros",
  "import.take": "Importar zona",
  "import.name": "Cada zona precisa de um nome.",
  "import.save": "Guardar as selecionadas",
  "import.saved": "Guardada.",
  "import.refused": "Por guardar: {n} de {of}. Os motivos estão acima.",
  "import.left": "Deixados de fora: {n}",
};
