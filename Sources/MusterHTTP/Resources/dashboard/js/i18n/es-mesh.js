// Spanish: the network, loaded when its drawer is opened.

export default {
  "mesh.far": "Otros dispositivos",
  "mesh.far.why": "Sin contacto directo: sus datos llegaron por otros portátiles.",
  "mesh.key": "Línea continua: multidifusión; discontinua: UDP; punteada: enlace ascendente; flecha: un solo sentido; pálida: último registro de un portátil fuera de alcance. El retraso solo se conoce de los vecinos directos.",
  "mesh.who": "Enlaces entre portátiles",
  "mesh.by": "Ruta",
  "mesh.for": "Duración",
  "mesh.behind": "Retraso",
  "mesh.both": "{a} y {b}",
  "mesh.one": "{a} recibe a {b}, un solo sentido",
  "mesh.reported": "comunicado {ago}",
  "mesh.old": "comunicado {ago}, fuera de alcance",
  "path.multicast": "multidifusión",
  "path.unicast": "UDP",
  "path.uplink": "enlace ascendente",
};
