// Spanish: the first steps of a new node.

export default {
  guide: "Próximos pasos",
  "guide.map": "No hay mapa de este lugar.",
  "guide.position": "No se conoce su posición.",
  "guide.position.set": "Ponerla en el mapa",
  "guide.click": "Haga clic en el mapa donde está",
  "guide.people": "Todavía no hay otras personas.",
  "guide.zone": "Todavía no hay punto de reunión al que ir en caso de peligro.",
  "guide.zone.draw": "Dibujar una zona",
};
