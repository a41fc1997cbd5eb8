// English: the network, loaded when its drawer is opened.

export default {
  "mesh.far": "Other devices",
  "mesh.far.why": "No direct contact: their data arrived through other laptops.",
  "mesh.key": "Solid line: multicast; dashed: UDP; dotted: uplink; arrow: one-way; pale: last record of a laptop out of reach. The backlog is known for direct neighbours only.",
  "mesh.who": "Links between laptops",
  "mesh.by": "Path",
  "mesh.for": "Duration",
  "mesh.behind": "Backlog",
  "mesh.both": "{a} and {b}",
  "mesh.one": "{a} receives {b}, one-way",
  "mesh.reported": "reported {ago}",
  "mesh.old": "reported {ago}, out of reach",
  "path.multicast": "multicast",
  "path.unicast": "UDP",
  "path.uplink": "uplink",
};
