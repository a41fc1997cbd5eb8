// English: unverified calls, loaded with the first one.

export default {
  calls: "Unverified calls for help",
  "calls.one": "Unverified",
  "calls.unnamed": "no name stated",
  "calls.unstated": "caller not proven",
  "calls.removedLogin": "login was removed",
  "calls.sharedToken": "shared token of phones",
  "calls.beyondBound": "too many callers",
  "calls.made": "made at {time} by the phone",
  "calls.by": "received by {name}",
  "calls.messages": "{n} message|{n} messages",
  "calls.confirm": "Who is it?",
  "calls.confirm.of": "Who called as {name}?",
  "calls.confirm.why": "The person becomes a MAYDAY with all that the call states.",
  "calls.confirm.send": "It is this person",
  "calls.close": "Close",
  "calls.close.of": "Close the call of {name}?",
  "calls.reason": "Reason, for all to read",
};
