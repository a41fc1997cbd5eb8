// French: the network, loaded when its drawer is opened.

export default {
  "mesh.far": "Autres appareils",
  "mesh.far.why": "Pas de contact direct : leurs données sont venues par d’autres ordinateurs.",
  "mesh.key": "Trait plein : multidiffusion ; tirets : UDP ; pointillé : liaison montante ; flèche : sens unique ; pâle : dernier état d’un ordinateur hors de portée. Le retard n’est connu que des voisins directs.",
  "mesh.who": "Liens entre ordinateurs",
  "mesh.by": "Chemin",
  "mesh.for": "Durée",
  "mesh.behind": "Retard",
  "mesh.both": "{a} et {b}",
  "mesh.one": "{a} reçoit {b}, sens unique",
  "mesh.reported": "signalé {ago}",
  "mesh.old": "signalé {ago}, hors de portée",
  "path.multicast": "multidiffusion",
  "path.unicast": "UDP",
  "path.uplink": "liaison montante",
};
