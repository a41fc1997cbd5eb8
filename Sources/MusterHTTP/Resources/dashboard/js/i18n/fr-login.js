// French: the login, loaded with its first form.

export default {
  "log.in.why": "Vous avez ouvert cette page depuis une autre machine. Connectez-vous pour continuer.",
  "log.in.again": "Saisissez à nouveau votre phrase de passe : cela demande les droits du commandement.",
  "log.in.new": "Bienvenue, {name}. Gardez cette phrase de passe, ou choisissez-en une autre d’au moins 12 caractères. Il la faut pour se reconnecter.",
  "log.in.helpOnly": "Cette connexion a expiré. Elle peut encore appeler au secours. Connectez-vous pour voir l’opération.",
  "log.in.removed": "Cet accès a été retiré. Il peut encore appeler au secours : le commandement demandera qui vous êtes.",
  "unsent.why": "Il part dès que l’ordinateur répond. Il n’est pas nécessaire de se connecter.",
  "unsent.sent": "Envoyé à l’ordinateur, {time}",
};
