// Spanish: calls for help and answers to them, loaded with the first.

export default {
  "call.notSent": "NO ENVIADO",
  "call.made": "llamada de auxilio de {time}",
  "call.cancel": "Anular la llamada",
  "call.cancel.sure": "¿Anular su llamada de auxilio de las {time}?",
  "call.cancel.yes": "Estoy bien: anularla",
  "call.cancel.no": "Mantener la llamada",
  "call.yours": "Su llamada de auxilio",
  "call.sent": "Enviada a este portátil, aún no al mando",
  "call.atCommand": "En el mando, aún no vista",
  "call.seen": "Vista por {name} ({role}), {time}",
  "call.via": "{name}, por el puesto de {post}",
  "call.read": "Leído",
  "call.read.mark": "Lo he leído",
  "call.answer.to": "Responder a {name}",
  "call.answer.coming": "La ayuda está en camino",
  "call.answer.helicopter": "Helicóptero en 20 min",
  "call.answer.stay": "Quédese donde está",
  "call.answer.public": "Todos los miembros pueden leerlo.",
  "call.answer.app": "Una aplicación de seguimiento no puede mostrar la respuesta: solo la página de esta persona puede.",
  "call.message.to": "Mensaje a {name}",
};
