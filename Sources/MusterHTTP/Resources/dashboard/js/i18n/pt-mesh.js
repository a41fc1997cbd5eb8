// Portuguese: the network, loaded when its drawer is opened.

export default {
  "mesh.far": "Outros dispositivos",
  "mesh.far.why": "Sem contacto direto: os dados chegaram por outros computadores.",
  "mesh.key": "Linha cheia: multicast; tracejada: UDP; pontilhada: ligação ascendente; seta: um só sentido; pálida: último registo de um computador fora de alcance. O atraso só se conhece dos vizinhos diretos.",
  "mesh.who": "Ligações entre computadores",
  "mesh.by": "Caminho",
  "mesh.for": "Duração",
  "mesh.behind": "Atraso",
  "mesh.both": "{a} e {b}",
  "mesh.one": "{a} recebe {b}, num só sentido",
  "mesh.reported": "comunicado {ago}",
  "mesh.old": "comunicado {ago}, fora de alcance",
  "path.multicast": "multicast",
  "path.unicast": "UDP",
  "path.uplink": "ligação ascendente",
};
