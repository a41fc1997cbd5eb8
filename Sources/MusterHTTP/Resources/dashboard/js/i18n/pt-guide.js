// Portuguese: the first steps of a new node.

export default {
  guide: "Próximos passos",
  "guide.map": "Não há mapa deste local.",
  "guide.position": "A sua posição não é conhecida.",
  "guide.position.set": "Pôr no mapa",
  "guide.click": "Clique no mapa onde está",
  "guide.people": "Ainda não há outras pessoas.",
  "guide.zone": "Ainda não há ponto de encontro para onde ir em perigo.",
  "guide.zone.draw": "Desenhar uma zona",
};
