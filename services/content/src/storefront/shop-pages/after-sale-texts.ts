import type { OrderDocument, Return } from '@waybill/contracts';

/** The texts of an order's page about parcels, documents and returns, by language. */
export interface AfterSaleTexts {
  parcels: string;
  parcelStates: Readonly<Record<'shipped' | 'delivered', string>>;
  track: string;
  documents: string;
  documentKinds: Readonly<Record<OrderDocument['kind'], string>>;
  returns: string;
  returnStates: Readonly<Record<Return['state'], string>>;
  returnItems: string;
  kind: string;
  kinds: Readonly<Record<Return['kind'], string>>;
  askQuantity(name: string): string;
  reason: string;
  send: string;
  nothingChosen: string;
  wrongQuantity: string;
  tooLate: string;
  tooMany: string;
  notNow: string;
}

const english: AfterSaleTexts = {
  parcels: 'Shipments',
  parcelStates: { shipped: 'Shipped', delivered: 'Delivered' },
  track: 'Track shipment',
  documents: 'Documents',
  documentKinds: { invoice: 'Invoice', creditNote: 'Credit note', packingSlip: 'Packing slip' },
  returns: 'Returns',
  returnStates: {
    requested: 'Requested',
    approved: 'Approved: please send it back',
    declined: 'Declined',
    received: 'Received',
    closed: 'Completed',
  },
  returnItems: 'Return items',
  kind: 'What would you like to do?',
  kinds: { return: 'Return items', withdrawal: 'Withdraw from the contract' },
  askQuantity: (name) => `How many of ${name}?`,
  reason: 'Reason (optional)',
  send: 'Send request',
  nothingChosen: 'Enter how many you want to send back.',
  wrongQuantity: 'A quantity must be a whole number.',
  tooLate: 'The return period has ended.',
  tooMany: 'You can’t return more than you have bought.',
  notNow: 'Your request could not be sent. Please try again in a moment.',
};

const languages: Readonly<Record<string, AfterSaleTexts>> = {
  en: english,
  de: {
    parcels: 'Sendungen',
    parcelStates: { shipped: 'Versendet', delivered: 'Zugestellt' },
    track: 'Sendung verfolgen',
    documents: 'Belege',
    documentKinds: { invoice: 'Rechnung', creditNote: 'Rechnungskorrektur', packingSlip: 'Lieferschein' },
    returns: 'Rücksendungen',
    returnStates: {
      requested: 'Angefragt',
      approved: 'Angenommen: Bitte senden Sie die Ware zurück',
      declined: 'Abgelehnt',
      received: 'Eingegangen',
      closed: 'Abgeschlossen',
    },
    returnItems: 'Artikel zurücksenden',
    kind: 'Was möchten Sie tun?',
    kinds: { return: 'Artikel zurücksenden', withdrawal: 'Vertrag widerrufen' },
    askQuantity: (name) => `Wie viele Stück von ${name}?`,
    reason: 'Grund (optional)',
    send: 'Anfrage senden',
    nothingChosen: 'Geben Sie an, wie viele Sie zurücksenden möchten.',
    wrongQuantity: 'Eine Menge muss eine ganze Zahl sein.',
    tooLate: 'Die Frist für Rücksendungen ist abgelaufen.',
    tooMany: 'Sie können nicht mehr zurücksenden, als Sie gekauft haben.',
    notNow: 'Ihre Anfrage konnte nicht gesendet werden. Bitte versuchen Sie es gleich noch einmal.',
  },
  fr: {
    parcels: 'Expéditions',
    parcelStates: { shipped: 'Expédié', delivered: 'Livré' },
    track: 'Suivre le colis',
    documents: 'Documents',
    documentKinds: { invoice: 'Facture', creditNote: 'Avoir', packingSlip: 'Bon de livraison' },
    returns: 'Retours',
    returnStates: {
      requested: 'Demandé',
      approved: 'Accepté\u00a0: veuillez renvoyer l’article',
      declined: 'Refusé',
      received: 'Reçu',
      closed: 'Terminé',
    },
    returnItems: 'Renvoyer des articles',
    kind: 'Que souhaitez-vous faire\u00a0?',
    kinds: { return: 'Renvoyer des articles', withdrawal: 'Se rétracter du contrat' },
    askQuantity: (name) => `Combien d’unités de ${name}\u00a0?`,
    reason: 'Motif (facultatif)',
    send: 'Envoyer la demande',
    nothingChosen: 'Indiquez combien d’articles vous souhaitez renvoyer.',
    wrongQuantity: 'Une quantité doit être un nombre entier.',
    tooLate: 'Le délai de retour est dépassé.',
    tooMany: 'Vous ne pouvez pas renvoyer plus que ce que vous avez acheté.',
    notNow: 'Votre demande n’a pas pu être envoyée. Veuillez réessayer dans un instant.',
  },
  es: {
    parcels: 'Envíos',
    parcelStates: { shipped: 'Enviado', delivered: 'Entregado' },
    track: 'Seguir el envío',
    documents: 'Documentos',
    documentKinds: { invoice: 'Factura', creditNote: 'Factura rectificativa', packingSlip: 'Albarán' },
    returns: 'Devoluciones',
    returnStates: {
      requested: 'Solicitada',
      approved: 'Aceptada: envíanos el artículo',
      declined: 'Rechazada',
      received: 'Recibida',
      closed: 'Completada',
    },
    returnItems: 'Devolver artículos',
    kind: '¿Qué quieres hacer?',
    kinds: { return: 'Devolver artículos', withdrawal: 'Desistir del contrato' },
    askQuantity: (name) => `¿Cuántas unidades de ${name}?`,
    reason: 'Motivo (opcional)',
    send: 'Enviar solicitud',
    nothingChosen: 'Indica cuántas unidades quieres devolver.',
    wrongQuantity: 'Una cantidad debe ser un número entero.',
    tooLate: 'El plazo de devolución ha terminado.',
    tooMany: 'No puedes devolver más de lo que has comprado.',
    notNow: 'No se pudo enviar la solicitud. Inténtalo de nuevo en un momento.',
  },
  it: {
    parcels: 'Spedizioni',
    parcelStates: { shipped: 'Spedito', delivered: 'Consegnato' },
    track: 'Traccia la spedizione',
    documents: 'Documenti',
    documentKinds: {
      invoice: 'Fattura',
      creditNote: 'Nota di credito',
      packingSlip: 'Documento di trasporto',
    },
    returns: 'Resi',
    returnStates: {
      requested: 'Richiesto',
      approved: 'Accettato: restituisci l’articolo',
      declined: 'Rifiutato',
      received: 'Ricevuto',
      closed: 'Completato',
    },
    returnItems: 'Restituisci articoli',
    kind: 'Che cosa vuoi fare?',
    kinds: { return: 'Restituire articoli', withdrawal: 'Recedere dal contratto' },
    askQuantity: (name) => `Quante unità di ${name}?`,
    reason: 'Motivo (facoltativo)',
    send: 'Invia la richiesta',
    nothingChosen: 'Indica quanti articoli vuoi restituire.',
    wrongQuantity: 'Una quantità deve essere un numero intero.',
    tooLate: 'Il termine per i resi è scaduto.',
    tooMany: 'Non puoi restituire più di quanto hai acquistato.',
    notNow: 'Non è stato possibile inviare la richiesta. Riprova tra un momento.',
  },
  nl: {
    parcels: 'Zendingen',
    parcelStates: { shipped: 'Verzonden', delivered: 'Bezorgd' },
    track: 'Zending volgen',
    documents: 'Documenten',
    documentKinds: { invoice: 'Factuur', creditNote: 'Creditnota', packingSlip: 'Pakbon' },
    returns: 'Retouren',
    returnStates: {
      requested: 'Aangevraagd',
      approved: 'Goedgekeurd: stuur het artikel terug',
      declined: 'Afgewezen',
      received: 'Ontvangen',
      closed: 'Afgerond',
    },
    returnItems: 'Artikelen retourneren',
    kind: 'Wat wil je doen?',
    kinds: { return: 'Artikelen retourneren', withdrawal: 'De overeenkomst herroepen' },
    askQuantity: (name) => `Hoeveel stuks van ${name}?`,
    reason: 'Reden (optioneel)',
    send: 'Aanvraag versturen',
    nothingChosen: 'Geef aan hoeveel je wilt terugsturen.',
    wrongQuantity: 'Een aantal moet een geheel getal zijn.',
    tooLate: 'De retourtermijn is verstreken.',
    tooMany: 'Je kunt niet meer terugsturen dan je hebt gekocht.',
    notNow: 'Je aanvraag kon niet worden verstuurd. Probeer het zo nog eens.',
  },
  pt: {
    parcels: 'Envios',
    parcelStates: { shipped: 'Enviado', delivered: 'Entregue' },
    track: 'Seguir o envio',
    documents: 'Documentos',
    documentKinds: { invoice: 'Fatura', creditNote: 'Nota de crédito', packingSlip: 'Guia de remessa' },
    returns: 'Devoluções',
    returnStates: {
      requested: 'Pedida',
      approved: 'Aceite: envie-nos o artigo',
      declined: 'Recusada',
      received: 'Recebida',
      closed: 'Concluída',
    },
    returnItems: 'Devolver artigos',
    kind: 'O que pretende fazer?',
    kinds: { return: 'Devolver artigos', withdrawal: 'Desistir do contrato' },
    askQuantity: (name) => `Quantos de ${name}?`,
    reason: 'Motivo (opcional)',
    send: 'Enviar pedido',
    nothingChosen: 'Indique quantos artigos pretende devolver.',
    wrongQuantity: 'Uma quantidade deve ser um número inteiro.',
    tooLate: 'O prazo para devoluções terminou.',
    tooMany: 'Não pode devolver mais do que comprou.',
    notNow: 'Não foi possível enviar o pedido. Tente novamente dentro de momentos.',
  },
};

/** Returns the texts of a language (`de-AT` means `de`), or the English ones. */
export function afterSaleTextsIn(tag: string): AfterSaleTexts {
  const [language = ''] = tag.split('-');
  return Object.hasOwn(languages, language) ? languages[language]! : english;
}
