// French: calls for help and answers to them, loaded with the first.

export default {
  "call.notSent": "NON ENVOYÉ",
  "call.made": "appel à l'aide de {time}",
  "call.cancel": "Annuler l'appel",
  "call.cancel.sure": "Annuler votre appel à l'aide de {time} ?",
  "call.cancel.yes": "Je vais bien : l'annuler",
  "call.cancel.no": "Garder l'appel",
  "call.yours": "Votre appel à l'aide",
  "call.sent": "Envoyé à cet ordinateur, pas encore au commandement",
  "call.atCommand": "Au commandement, pas encore vu",
  "call.seen": "Vu par {name} ({role}), {time}",
  "call.via": "{name}, par le poste de {post}",
  "call.read": "Lu",
  "call.read.mark": "Je l'ai lu",
  "call.answer.to": "Répondre à {name}",
  "call.answer.coming": "Les secours arrivent",
  "call.answer.helicopter": "Hélicoptère dans 20 min",
  "call.answer.stay": "Restez où vous êtes",
  "call.answer.public": "Tous les membres peuvent le lire.",
  "call.answer.app": "Une application de suivi ne peut pas afficher la réponse : seule la page de cette personne le peut.",
  "call.message.to": "Message à {name}",
};
