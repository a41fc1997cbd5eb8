// French: the first steps of a new node.

export default {
  guide: "Prochaines étapes",
  "guide.map": "Aucune carte de ce lieu.",
  "guide.position": "Votre position n’est pas connue.",
  "guide.position.set": "La placer sur la carte",
  "guide.click": "Cliquez sur la carte où vous êtes",
  "guide.people": "Personne d’autre pour l’instant.",
  "guide.zone": "Aucun point de rassemblement où aller en cas de danger.",
  "guide.zone.draw": "Dessiner une zone",
};
