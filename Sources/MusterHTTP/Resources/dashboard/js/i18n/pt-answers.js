// Portuguese: calls for help and answers to them, loaded with the first.

export default {
  "call.notSent": "NÃO ENVIADO",
  "call.made": "pedido de ajuda de {time}",
  "call.cancel": "Cancelar o pedido",
  "call.cancel.sure": "Cancelar o seu pedido de socorro das {time}?",
  "call.cancel.yes": "Estou bem: cancelar",
  "call.cancel.no": "Manter o pedido",
  "call.yours": "O seu pedido de ajuda",
  "call.sent": "Enviado a este computador, ainda não ao comando",
  "call.atCommand": "No comando, ainda não visto",
  "call.seen": "Visto por {name} ({role}), {time}",
  "call.via": "{name}, pelo posto de {post}",
  "call.read": "Lido",
  "call.read.mark": "Já li",
  "call.answer.to": "Responder a {name}",
  "call.answer.coming": "A ajuda vem a caminho",
  "call.answer.helicopter": "Helicóptero em 20 min",
  "call.answer.stay": "Fique onde está",
  "call.answer.public": "Todos os membros podem ler.",
  "call.answer.app": "Uma aplicação de rastreio não pode mostrar a resposta: só a página desta pessoa pode.",
  "call.message.to": "Mensagem para {name}",
};
