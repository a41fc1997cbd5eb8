// English: the login, loaded with its first form.

export default {
  "log.in.why": "You opened this page from another machine. Log in to continue.",
  "log.in.again": "Enter your passphrase again: this needs the rights of command.",
  "log.in.new": "Welcome, {name}. Keep this passphrase, or choose another one of 12 characters or more. You need it to log in again.",
  "log.in.helpOnly": "This login has expired. It can still call for help. Log in to see the operation.",
  "log.in.removed": "This login was removed. It can still call for help: command then asks who you are.",
  "unsent.why": "It is sent as soon as the laptop answers. You need not log in for it.",
  "unsent.sent": "Sent to the laptop, {time}",
};
