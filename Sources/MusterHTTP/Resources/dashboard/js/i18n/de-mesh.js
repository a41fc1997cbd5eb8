// German: the network, loaded when its drawer is opened.

export default {
  "mesh.far": "Andere Geräte",
  "mesh.far.why": "Kein direkter Kontakt: ihre Daten kamen über andere Laptops.",
  "mesh.key": "Durchgezogen: Multicast; gestrichelt: UDP; gepunktet: Uplink; Pfeil: einseitig; blass: letzter Stand eines Laptops außer Reichweite. Der Rückstand ist nur für direkte Nachbarn bekannt.",
  "mesh.who": "Verbindungen zwischen Laptops",
  "mesh.by": "Pfad",
  "mesh.for": "Dauer",
  "mesh.behind": "Rückstand",
  "mesh.both": "{a} und {b}",
  "mesh.one": "{a} empfängt {b}, einseitig",
  "mesh.reported": "gemeldet {ago}",
  "mesh.old": "gemeldet {ago}, außer Reichweite",
  "path.multicast": "Multicast",
  "path.unicast": "UDP",
  "path.uplink": "Uplink",
};
