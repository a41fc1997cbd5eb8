// English: what a laptop notes about a phone, loaded with the first.

export default {
  "phone.alarm": "Alarm “{word}”, {age} ago",
  "phone.late": "The fixes are {age} old, or the phone's clock is wrong: ask",
  "phone.every": "Reports only each {age}: change the app, or the silence",
  "phone.behind": "The phone's clock counts as {age} behind",
  "phone.left": "Not used: {reason} ({n})",
  "phone.silence": "Silence",
  "phone.clock": "Clock is behind",
  "phone.silence.of": "Silence of {name}",
  "phone.silence.minutes": "Minutes without a message until “no contact” (0: never)",
  "phone.clock.of": "Clock of {name}'s phone",
  "phone.clock.why": "Only if you know it: the fixes will count as that much newer.",
  "phone.clock.minutes": "Minutes that the clock is behind (0: it is right)",
  "phone.row": "Phone",
};
