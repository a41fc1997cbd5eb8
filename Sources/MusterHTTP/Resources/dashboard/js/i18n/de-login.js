// German: the login, loaded with its first form.

export default {
  "log.in.why": "Sie haben diese Seite von einem anderen Rechner geöffnet. Melden Sie sich an.",
  "log.in.again": "Passphrase erneut eingeben: Dafür sind die Rechte der Leitung nötig.",
  "log.in.new": "Willkommen, {name}. Merken Sie sich diese Passphrase, oder wählen Sie eine andere mit mindestens 12 Zeichen. Sie brauchen sie zum erneuten Anmelden.",
  "log.in.helpOnly": "Diese Anmeldung ist abgelaufen. Um Hilfe rufen kann sie weiterhin. Melden Sie sich an, um den Einsatz zu sehen.",
  "log.in.removed": "Dieser Zugang wurde entfernt. Um Hilfe rufen kann er weiterhin: Die Leitung fragt dann, wer Sie sind.",
  "unsent.why": "Er wird gesendet, sobald der Laptop antwortet. Eine Anmeldung ist dafür nicht nötig.",
  "unsent.sent": "An den Laptop gesendet, {time}",
};
