// Portuguese: unverified calls, loaded with the first one.

export default {
  calls: "Pedidos de socorro não verificados",
  "calls.one": "Não verificado",
  "calls.unnamed": "sem nome",
  "calls.unstated": "autor não comprovado",
  "calls.removedLogin": "o acesso foi removido",
  "calls.sharedToken": "token comum dos telemóveis",
  "calls.beyondBound": "demasiados autores",
  "calls.made": "feito às {time} pelo telemóvel",
  "calls.by": "recebido por {name}",
  "calls.messages": "{n} mensagem|{n} mensagens",
  "calls.confirm": "Quem é?",
  "calls.confirm.of": "Quem pediu socorro como {name}?",
  "calls.confirm.why": "A pessoa passa a MAYDAY com tudo o que o pedido indica.",
  "calls.confirm.send": "É esta pessoa",
  "calls.close": "Fechar",
  "calls.close.of": "Fechar o pedido de {name}?",
  "calls.reason": "Motivo, visível para todos",
};
