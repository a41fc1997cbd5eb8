// English: calls for help and answers to them, loaded with the first.

export default {
  "call.notSent": "NOT SENT",
  "call.made": "call for help of {time}",
  "call.cancel": "Cancel the call",
  "call.cancel.sure": "Cancel your call for help of {time}?",
  "call.cancel.yes": "I am OK: cancel it",
  "call.cancel.no": "Keep the call",
  "call.yours": "Your call for help",
  "call.sent": "Sent to this laptop, not at command yet",
  "call.atCommand": "At command, not seen yet",
  "call.seen": "Seen by {name} ({role}), {time}",
  "call.via": "{name}, through {post}'s post",
  "call.read": "Read",
  "call.read.mark": "I have read it",
  "call.answer.to": "Answer {name}",
  "call.answer.coming": "Help is coming",
  "call.answer.helicopter": "Helicopter in 20 min",
  "call.answer.stay": "Stay where you are",
  "call.answer.public": "All members can read it.",
  "call.answer.app": "A tracking app cannot show your answer: only this person's page can.",
  "call.message.to": "Message to {name}",
};
