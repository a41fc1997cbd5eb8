// French: unverified calls, loaded with the first one.

export default {
  calls: "Appels au secours non vérifiés",
  "calls.one": "Non vérifié",
  "calls.unnamed": "sans nom",
  "calls.unstated": "auteur non prouvé",
  "calls.removedLogin": "accès supprimé",
  "calls.sharedToken": "jeton commun des téléphones",
  "calls.beyondBound": "trop d’appelants",
  "calls.made": "fait à {time} selon le téléphone",
  "calls.by": "reçu par {name}",
  "calls.messages": "{n} message|{n} messages",
  "calls.confirm": "Qui est-ce ?",
  "calls.confirm.of": "Qui a appelé comme {name} ?",
  "calls.confirm.why": "La personne devient MAYDAY avec tout ce que l’appel indique.",
  "calls.confirm.send": "C’est cette personne",
  "calls.close": "Clore",
  "calls.close.of": "Clore l’appel de {name} ?",
  "calls.reason": "Motif, lisible par tous",
};
