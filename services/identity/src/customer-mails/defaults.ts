import type { MailKind, ShopLanguage } from '@waybill/contracts';

/** The source text of a template. */
export interface TemplateText {
  subject: string;
  body: string;
}

/** The words that all texts of a language share. */
interface Words {
  /** Liquid source; includes the customer's name if it is known. */
  greeting: string;
  closing: string;
  /** Separates a label from its value. */
  colon: string;
  order: string;
  discount: string;
  shipping: string;
  included: string;
  reverse: string;
  total: string;
  viewOrder: string;
  track: string;
  download: string;
  reason: string;
}

/** The subject of a kind of mail, and its paragraphs before the table. */
interface KindText {
  subject: string;
  paragraphs: readonly string[];
}

const words: Record<ShopLanguage, Words> = {
  en: {
    greeting: 'Hello{% if name %} {{ name }}{% endif %},',
    closing: 'Kind regards<br>{{ store.name }}',
    colon: ': ',
    order: 'Order #{{ order.number }}',
    discount: 'Discount',
    shipping: 'Shipping',
    included: 'incl.',
    reverse: 'Reverse charge: the buyer owes the tax',
    total: 'Total',
    viewOrder: 'View your order',
    track: 'Track the parcel',
    download: 'Download the document',
    reason: 'Reason',
  },
  de: {
    greeting: 'Guten Tag{% if name %} {{ name }}{% endif %},',
    closing: 'Freundliche Grüße<br>{{ store.name }}',
    colon: ': ',
    order: 'Bestellung #{{ order.number }}',
    discount: 'Rabatt',
    shipping: 'Versand',
    included: 'inkl.',
    reverse: 'Steuerschuldnerschaft des Leistungsempfängers',
    total: 'Gesamtbetrag',
    viewOrder: 'Bestellung ansehen',
    track: 'Sendung verfolgen',
    download: 'Beleg herunterladen',
    reason: 'Grund',
  },
  fr: {
    greeting: 'Bonjour{% if name %} {{ name }}{% endif %},',
    closing: 'Bien cordialement<br>{{ store.name }}',
    colon: '\u00a0: ',
    order: 'Commande n°\u00a0{{ order.number }}',
    discount: 'Remise',
    shipping: 'Livraison',
    included: 'dont',
    reverse: 'Autoliquidation\u00a0: la TVA est due par l’acheteur',
    total: 'Total',
    viewOrder: 'Voir la commande',
    track: 'Suivre le colis',
    download: 'Télécharger le document',
    reason: 'Motif',
  },
  es: {
    greeting: 'Hola{% if name %}, {{ name }}{% endif %}:',
    closing: 'Un saludo,<br>{{ store.name }}',
    colon: ': ',
    order: 'Pedido n.º\u00a0{{ order.number }}',
    discount: 'Descuento',
    shipping: 'Envío',
    included: 'incl.',
    reverse: 'Inversión del sujeto pasivo: el comprador debe el impuesto',
    total: 'Total',
    viewOrder: 'Ver el pedido',
    track: 'Seguir el envío',
    download: 'Descargar el documento',
    reason: 'Motivo',
  },
  it: {
    greeting: 'Ciao{% if name %} {{ name }}{% endif %},',
    closing: 'Cordiali saluti<br>{{ store.name }}',
    colon: ': ',
    order: 'Ordine n. {{ order.number }}',
    discount: 'Sconto',
    shipping: 'Spedizione',
    included: 'incl.',
    reverse: 'Inversione contabile: l’imposta è dovuta dall’acquirente',
    total: 'Totale',
    viewOrder: 'Vedi l’ordine',
    track: 'Segui la spedizione',
    download: 'Scarica il documento',
    reason: 'Motivo',
  },
  nl: {
    greeting: 'Beste{% if name %} {{ name }}{% else %} klant{% endif %},',
    closing: 'Met vriendelijke groet<br>{{ store.name }}',
    colon: ': ',
    order: 'Bestelling {{ order.number }}',
    discount: 'Korting',
    shipping: 'Verzending',
    included: 'incl.',
    reverse: 'Btw verlegd naar de koper',
    total: 'Totaal',
    viewOrder: 'Bestelling bekijken',
    track: 'Pakket volgen',
    download: 'Document downloaden',
    reason: 'Reden',
  },
};

/** Returns the sentence about the carrier of a parcel, which is shown only if the carrier is known. */
const carrier = (before: string) =>
  `{% if fulfillment.trackingNumber %}${before} <strong>{% if fulfillment.carrier %}{{ fulfillment.carrier | carrier }} {% endif %}{{ fulfillment.trackingNumber }}</strong>{% endif %}`;

const texts: Record<ShopLanguage, Record<MailKind, KindText>> = {
  en: {
    orderPlaced: {
      subject: '{{ store.name }}: your order {{ order.number }}',
      paragraphs: [
        'Thank you for your order. We have received it and will let you know as soon as it is on its way.',
      ],
    },
    paymentReceived: {
      subject: 'We received your payment for order {{ order.number }}',
      paragraphs: [
        'Thank you: a payment for order #{{ order.number }} has arrived. You have paid {{ order.paidCents | money }} of {{ order.totalCents | money }}.',
      ],
    },
    orderShipped: {
      subject: 'Your order {{ order.number }} is on its way',
      paragraphs: ['Good news: these items from your order are on their way.', carrier('Tracking number:')],
    },
    orderDelivered: {
      subject: 'Your order {{ order.number }} has been delivered',
      paragraphs: [
        'Your parcel with these items has been delivered. We hope you enjoy them.',
        'If something is missing or not as it should be, just write to us.',
      ],
    },
    refunded: {
      subject: 'We refunded {{ refund.amountCents | money }} for order {{ order.number }}',
      paragraphs: [
        'We have refunded <strong>{{ refund.amountCents | money }}</strong> to you. Depending on your bank, it may take a few days for the money to arrive.',
      ],
    },
    orderCancelled: {
      subject: 'Your order {{ order.number }} has been cancelled',
      paragraphs: [
        'Order #{{ order.number }} has been cancelled and will not be sent.',
        '{% if order.paidCents > order.refundedCents %}If you have already paid, we will contact you about your payment.{% endif %}',
      ],
    },
    returnUpdated: {
      subject: 'Your return for order {{ order.number }}',
      paragraphs: [
        '{% case return.state %}{% when "requested" %}We have received your request and will look at it shortly.{% when "approved" %}Your return has been approved: please send the items back to us.{% when "declined" %}We are sorry, but we cannot accept your return.{% when "received" %}Your return has arrived. Thank you for sending it.{% when "closed" %}Your return is settled.{% endcase %}',
      ],
    },
    documentIssued: {
      subject:
        '{% case document.kind %}{% when "invoice" %}Your invoice{% when "creditNote" %}Your credit note{% else %}Your packing slip{% endcase %} {{ document.number }}',
      paragraphs: ['There is a new document for your order #{{ order.number }}.'],
    },
    formReceived: {
      subject: '{{ store.name }}: we received your message',
      paragraphs: ['Thank you for writing to us. Your message has arrived, and we will answer soon.'],
    },
  },
  de: {
    orderPlaced: {
      subject: '{{ store.name }}: Ihre Bestellung {{ order.number }}',
      paragraphs: [
        'vielen Dank für Ihre Bestellung. Sie ist bei uns eingegangen, und wir melden uns, sobald sie unterwegs ist.',
      ],
    },
    paymentReceived: {
      subject: 'Zahlung für Ihre Bestellung {{ order.number }} erhalten',
      paragraphs: [
        'vielen Dank: Eine Zahlung für die Bestellung #{{ order.number }} ist eingegangen. Bezahlt sind {{ order.paidCents | money }} von {{ order.totalCents | money }}.',
      ],
    },
    orderShipped: {
      subject: 'Ihre Bestellung {{ order.number }} ist unterwegs',
      paragraphs: [
        'gute Nachrichten: Diese Artikel Ihrer Bestellung sind auf dem Weg zu Ihnen.',
        carrier('Sendungsnummer:'),
      ],
    },
    orderDelivered: {
      subject: 'Ihre Bestellung {{ order.number }} wurde zugestellt',
      paragraphs: [
        'Ihr Paket mit diesen Artikeln wurde zugestellt. Wir wünschen Ihnen viel Freude damit.',
        'Wenn etwas fehlt oder nicht in Ordnung ist, schreiben Sie uns bitte.',
      ],
    },
    refunded: {
      subject: 'Erstattung von {{ refund.amountCents | money }} zur Bestellung {{ order.number }}',
      paragraphs: [
        'wir haben Ihnen <strong>{{ refund.amountCents | money }}</strong> erstattet. Je nach Bank dauert es einige Tage, bis das Geld bei Ihnen ist.',
      ],
    },
    orderCancelled: {
      subject: 'Ihre Bestellung {{ order.number }} wurde storniert',
      paragraphs: [
        'die Bestellung #{{ order.number }} wurde storniert und wird nicht versandt.',
        '{% if order.paidCents > order.refundedCents %}Falls Sie schon bezahlt haben, melden wir uns wegen der Rückzahlung.{% endif %}',
      ],
    },
    returnUpdated: {
      subject: 'Ihre Rücksendung zur Bestellung {{ order.number }}',
      paragraphs: [
        '{% case return.state %}{% when "requested" %}Ihre Anfrage ist bei uns eingegangen, wir sehen sie uns in Kürze an.{% when "approved" %}Ihre Rücksendung ist angenommen: Bitte schicken Sie die Artikel an uns zurück.{% when "declined" %}leider können wir Ihre Rücksendung nicht annehmen.{% when "received" %}Ihre Rücksendung ist bei uns angekommen. Vielen Dank.{% when "closed" %}Ihre Rücksendung ist abgeschlossen.{% endcase %}',
      ],
    },
    documentIssued: {
      subject:
        '{% case document.kind %}{% when "invoice" %}Ihre Rechnung{% when "creditNote" %}Ihre Rechnungskorrektur{% else %}Ihr Lieferschein{% endcase %} {{ document.number }}',
      paragraphs: ['zu Ihrer Bestellung #{{ order.number }} gibt es einen neuen Beleg.'],
    },
    formReceived: {
      subject: '{{ store.name }}: Ihre Nachricht ist angekommen',
      paragraphs: ['vielen Dank für Ihre Nachricht. Sie ist bei uns angekommen, und wir antworten bald.'],
    },
  },
  fr: {
    orderPlaced: {
      subject: '{{ store.name }}\u00a0: votre commande {{ order.number }}',
      paragraphs: [
        'Merci pour votre commande. Nous l’avons bien reçue et vous préviendrons dès son expédition.',
      ],
    },
    paymentReceived: {
      subject: 'Paiement reçu pour votre commande {{ order.number }}',
      paragraphs: [
        'Merci\u00a0: nous avons reçu un paiement pour la commande n°\u00a0{{ order.number }}. Montant payé\u00a0: {{ order.paidCents | money }} sur {{ order.totalCents | money }}.',
      ],
    },
    orderShipped: {
      subject: 'Votre commande {{ order.number }} est en route',
      paragraphs: [
        'Bonne nouvelle\u00a0: ces articles de votre commande viennent de partir.',
        carrier('Numéro de suivi\u00a0:'),
      ],
    },
    orderDelivered: {
      subject: 'Votre commande {{ order.number }} a été livrée',
      paragraphs: [
        'Votre colis contenant ces articles a été livré. Nous espérons qu’ils vous plairont.',
        'S’il manque quelque chose ou si un article pose problème, écrivez-nous.',
      ],
    },
    refunded: {
      subject: 'Remboursement de {{ refund.amountCents | money }} pour la commande {{ order.number }}',
      paragraphs: [
        'Nous vous avons remboursé <strong>{{ refund.amountCents | money }}</strong>. Selon votre banque, le montant apparaîtra sous quelques jours.',
      ],
    },
    orderCancelled: {
      subject: 'Votre commande {{ order.number }} a été annulée',
      paragraphs: [
        'La commande n°\u00a0{{ order.number }} a été annulée et ne sera pas expédiée.',
        '{% if order.paidCents > order.refundedCents %}Si vous avez déjà payé, nous vous contacterons au sujet de votre paiement.{% endif %}',
      ],
    },
    returnUpdated: {
      subject: 'Votre retour pour la commande {{ order.number }}',
      paragraphs: [
        '{% case return.state %}{% when "requested" %}Nous avons reçu votre demande et l’examinerons rapidement.{% when "approved" %}Votre retour est accepté\u00a0: vous pouvez nous renvoyer les articles.{% when "declined" %}Nous sommes désolés de ne pouvoir accepter votre retour.{% when "received" %}Votre retour nous est bien parvenu. Merci.{% when "closed" %}Votre retour est terminé.{% endcase %}',
      ],
    },
    documentIssued: {
      subject:
        '{% case document.kind %}{% when "invoice" %}Votre facture{% when "creditNote" %}Votre avoir{% else %}Votre bon de livraison{% endcase %} {{ document.number }}',
      paragraphs: ['Un nouveau document est disponible pour votre commande n°\u00a0{{ order.number }}.'],
    },
    formReceived: {
      subject: '{{ store.name }}\u00a0: nous avons bien reçu votre message',
      paragraphs: ['Merci de nous avoir écrit. Votre message est arrivé et nous vous répondrons bientôt.'],
    },
  },
  es: {
    orderPlaced: {
      subject: '{{ store.name }}: tu pedido {{ order.number }}',
      paragraphs: ['Gracias por tu pedido. Lo hemos recibido y te avisaremos en cuanto esté en camino.'],
    },
    paymentReceived: {
      subject: 'Hemos recibido el pago de tu pedido {{ order.number }}',
      paragraphs: [
        'Gracias: hemos recibido un pago del pedido n.º\u00a0{{ order.number }}. Pagado: {{ order.paidCents | money }} de {{ order.totalCents | money }}.',
      ],
    },
    orderShipped: {
      subject: 'Tu pedido {{ order.number }} está en camino',
      paragraphs: [
        'Buenas noticias: estos artículos de tu pedido ya han salido.',
        carrier('Número de seguimiento:'),
      ],
    },
    orderDelivered: {
      subject: 'Tu pedido {{ order.number }} se ha entregado',
      paragraphs: [
        'El paquete con estos artículos se ha entregado. Esperamos que los disfrutes.',
        'Si falta algo o algo no está bien, escríbenos.',
      ],
    },
    refunded: {
      subject: 'Reembolso de {{ refund.amountCents | money }} del pedido {{ order.number }}',
      paragraphs: [
        'Te hemos reembolsado <strong>{{ refund.amountCents | money }}</strong>. Según tu banco, el dinero tarda unos días en llegar.',
      ],
    },
    orderCancelled: {
      subject: 'Tu pedido {{ order.number }} se ha cancelado',
      paragraphs: [
        'El pedido n.º\u00a0{{ order.number }} se ha cancelado y no se enviará.',
        '{% if order.paidCents > order.refundedCents %}Si ya habías pagado, te escribiremos sobre tu pago.{% endif %}',
      ],
    },
    returnUpdated: {
      subject: 'Tu devolución del pedido {{ order.number }}',
      paragraphs: [
        '{% case return.state %}{% when "requested" %}Hemos recibido tu solicitud y la revisaremos en breve.{% when "approved" %}Hemos aceptado tu devolución: envíanos los artículos, por favor.{% when "declined" %}Lo sentimos, pero no podemos aceptar tu devolución.{% when "received" %}Tu devolución ha llegado. Gracias por enviarla.{% when "closed" %}Tu devolución está resuelta.{% endcase %}',
      ],
    },
    documentIssued: {
      subject:
        '{% case document.kind %}{% when "invoice" %}Tu factura{% when "creditNote" %}Tu factura rectificativa{% else %}Tu albarán{% endcase %} {{ document.number }}',
      paragraphs: ['Hay un documento nuevo de tu pedido n.º\u00a0{{ order.number }}.'],
    },
    formReceived: {
      subject: '{{ store.name }}: hemos recibido tu mensaje',
      paragraphs: ['Gracias por escribirnos. Tu mensaje ha llegado y te responderemos pronto.'],
    },
  },
  it: {
    orderPlaced: {
      subject: '{{ store.name }}: il tuo ordine {{ order.number }}',
      paragraphs: ['grazie per il tuo ordine. Lo abbiamo ricevuto e ti avviseremo appena sarà in viaggio.'],
    },
    paymentReceived: {
      subject: 'Pagamento ricevuto per l’ordine {{ order.number }}',
      paragraphs: [
        'grazie: abbiamo ricevuto un pagamento per l’ordine n. {{ order.number }}. Pagato: {{ order.paidCents | money }} su {{ order.totalCents | money }}.',
      ],
    },
    orderShipped: {
      subject: 'Il tuo ordine {{ order.number }} è in viaggio',
      paragraphs: [
        'buone notizie: questi articoli del tuo ordine sono partiti.',
        carrier('Numero di spedizione:'),
      ],
    },
    orderDelivered: {
      subject: 'Il tuo ordine {{ order.number }} è stato consegnato',
      paragraphs: [
        'il pacco con questi articoli è stato consegnato. Speriamo che ti piacciano.',
        'Se manca qualcosa o qualcosa non va, scrivici.',
      ],
    },
    refunded: {
      subject: 'Rimborso di {{ refund.amountCents | money }} per l’ordine {{ order.number }}',
      paragraphs: [
        'ti abbiamo rimborsato <strong>{{ refund.amountCents | money }}</strong>. A seconda della banca, l’accredito richiede qualche giorno.',
      ],
    },
    orderCancelled: {
      subject: 'Il tuo ordine {{ order.number }} è stato annullato',
      paragraphs: [
        'l’ordine n. {{ order.number }} è stato annullato e non sarà spedito.',
        '{% if order.paidCents > order.refundedCents %}Se hai già pagato, ti contatteremo per il tuo pagamento.{% endif %}',
      ],
    },
    returnUpdated: {
      subject: 'Il tuo reso per l’ordine {{ order.number }}',
      paragraphs: [
        '{% case return.state %}{% when "requested" %}abbiamo ricevuto la tua richiesta e la esamineremo a breve.{% when "approved" %}il tuo reso è accettato: rispediscici gli articoli.{% when "declined" %}ci dispiace, ma non possiamo accettare il tuo reso.{% when "received" %}il tuo reso è arrivato. Grazie.{% when "closed" %}il tuo reso è concluso.{% endcase %}',
      ],
    },
    documentIssued: {
      subject:
        '{% case document.kind %}{% when "invoice" %}La tua fattura{% when "creditNote" %}La tua nota di credito{% else %}Il tuo documento di trasporto{% endcase %} {{ document.number }}',
      paragraphs: ['c’è un nuovo documento per il tuo ordine n. {{ order.number }}.'],
    },
    formReceived: {
      subject: '{{ store.name }}: abbiamo ricevuto il tuo messaggio',
      paragraphs: ['grazie per averci scritto. Il tuo messaggio è arrivato e ti risponderemo presto.'],
    },
  },
  nl: {
    orderPlaced: {
      subject: '{{ store.name }}: je bestelling {{ order.number }}',
      paragraphs: [
        'Bedankt voor je bestelling. We hebben hem ontvangen en laten het je weten zodra hij onderweg is.',
      ],
    },
    paymentReceived: {
      subject: 'Betaling voor bestelling {{ order.number }} ontvangen',
      paragraphs: [
        'Bedankt: een betaling voor bestelling {{ order.number }} is binnen. Betaald: {{ order.paidCents | money }} van {{ order.totalCents | money }}.',
      ],
    },
    orderShipped: {
      subject: 'Je bestelling {{ order.number }} is onderweg',
      paragraphs: [
        'Goed nieuws: deze artikelen van je bestelling zijn verzonden.',
        carrier('Track-and-tracecode:'),
      ],
    },
    orderDelivered: {
      subject: 'Je bestelling {{ order.number }} is bezorgd',
      paragraphs: [
        'Je pakket met deze artikelen is bezorgd. We wensen je er veel plezier mee.',
        'Ontbreekt er iets of is iets niet in orde? Laat het ons weten.',
      ],
    },
    refunded: {
      subject: 'Terugbetaling van {{ refund.amountCents | money }} voor bestelling {{ order.number }}',
      paragraphs: [
        'We hebben je <strong>{{ refund.amountCents | money }}</strong> terugbetaald. Afhankelijk van je bank duurt het enkele dagen voordat het geld er is.',
      ],
    },
    orderCancelled: {
      subject: 'Je bestelling {{ order.number }} is geannuleerd',
      paragraphs: [
        'Bestelling {{ order.number }} is geannuleerd en wordt niet verzonden.',
        '{% if order.paidCents > order.refundedCents %}Als je al hebt betaald, nemen we contact met je op over je betaling.{% endif %}',
      ],
    },
    returnUpdated: {
      subject: 'Je retour voor bestelling {{ order.number }}',
      paragraphs: [
        '{% case return.state %}{% when "requested" %}We hebben je verzoek ontvangen en bekijken het zo snel mogelijk.{% when "approved" %}Je retour is goedgekeurd: stuur de artikelen naar ons terug.{% when "declined" %}Helaas kunnen we je retour niet aannemen.{% when "received" %}Je retour is bij ons aangekomen. Bedankt.{% when "closed" %}Je retour is afgehandeld.{% endcase %}',
      ],
    },
    documentIssued: {
      subject:
        '{% case document.kind %}{% when "invoice" %}Je factuur{% when "creditNote" %}Je creditnota{% else %}Je pakbon{% endcase %} {{ document.number }}',
      paragraphs: ['Er is een nieuw document voor je bestelling {{ order.number }}.'],
    },
    formReceived: {
      subject: '{{ store.name }}: we hebben je bericht ontvangen',
      paragraphs: ['Bedankt voor je bericht. Het is aangekomen en we antwoorden je snel.'],
    },
  },
};

const paragraph = (text: string) => `<p>${text}</p>`;

/**
 * Returns the table of an order: its lines and its shipping before discounts, and the amounts that lead from
 * them to the total.
 */
const orderTable = (w: Words) => `<h2>${w.order}</h2>
{% assign shippingCents = order.shippingCents | minus: order.discountCents %}
{% for discount in order.discounts %}{% assign shippingCents = shippingCents | plus: discount.amountCents %}{% endfor %}
<table>
{% for line in order.lineItems %}<tr><td>{{ line.quantity }} × {{ line.name }}{% if line.variantName != "" %} · {{ line.variantName }}{% endif %}</td><td>{{ line.totalCents | plus: line.discountCents | money }}</td></tr>
{% endfor %}{% for discount in order.discounts %}{% if discount.amountCents > 0 %}<tr><td>${w.discount} ({{ discount.code | default: discount.title }})</td><td>−{{ discount.amountCents | money }}</td></tr>
{% endif %}{% endfor %}{% if order.shippingRate or shippingCents > 0 %}<tr><td>${w.shipping}{% if order.shippingRate %} ({{ order.shippingRate.name }}){% endif %}</td><td>{{ shippingCents | money }}</td></tr>
{% endif %}{% for tax in order.taxLines %}<tr><td>{% if order.taxIncluded %}${w.included} {% endif %}{{ tax.percent | percent }} {{ tax.name }}</td><td>{{ tax.taxCents | money }}</td></tr>
{% endfor %}<tr><th>${w.total}</th><th>{{ order.totalCents | money }}</th></tr>
</table>
{% if order.reverseCharge %}<p>${w.reverse}</p>
{% endif %}`;

/** Returns the table of the lines of a parcel or a return. */
const partTable = (part: string) => `<table>
{% for line in ${part}.lines %}{% assign item = order.lineItems | where: "variantId", line.variantId | first %}<tr><td>{{ line.quantity }} × {{ item.name }}{% if item.variantName != "" %} · {{ item.variantName }}{% endif %}</td></tr>
{% endfor %}</table>
`;

const orderButton = (w: Words) => `{% if orderUrl %}<p><a href="{{ orderUrl }}">${w.viewOrder}</a></p>
{% endif %}`;
const trackButton = (w: Words) =>
  `{% if fulfillment.trackingUrl %}<p><a href="{{ fulfillment.trackingUrl }}">${w.track}</a></p>
{% else %}${orderButton(w)}{% endif %}`;

/** The markup between the paragraphs and the closing. */
const afterParagraphs: Record<MailKind, (w: Words) => string> = {
  orderPlaced: (w) => orderTable(w) + orderButton(w),
  paymentReceived: orderButton,
  orderShipped: (w) => partTable('fulfillment') + trackButton(w),
  orderDelivered: (w) => partTable('fulfillment') + orderButton(w),
  refunded: (w) =>
    `{% if refund.reason %}<p>${w.reason}${w.colon}{{ refund.reason }}</p>\n{% endif %}${orderButton(w)}`,
  orderCancelled: orderButton,
  returnUpdated: (w) =>
    `{% if return.note %}<p>{{ return.note }}</p>\n{% endif %}${partTable('return')}${orderButton(w)}`,
  documentIssued: (w) => `<p><a href="{{ document.url }}">${w.download}</a></p>\n`,
  formReceived: () => '',
};

/** Returns the default text of a kind of mail in a language. */
export function defaultTemplate(kind: MailKind, language: ShopLanguage): TemplateText {
  const w = words[language];
  const { subject, paragraphs } = texts[language][kind];
  const body = [
    paragraph(w.greeting),
    ...paragraphs.map((text) =>
      // The whole paragraph is conditional, so an empty one leaves no gap.
      text.startsWith('{% if')
        ? text.replace('%}', '%}<p>').replace(/\{% endif %\}$/, '</p>{% endif %}')
        : paragraph(text),
    ),
    afterParagraphs[kind](w) + paragraph(w.closing),
  ];
  return { subject, body: body.join('\n') };
}

/** Whether stores send mails of a kind unless they have changed that setting. */
export const isEnabledByDefault = (kind: MailKind): boolean => kind !== 'documentIssued';

/** The footer that tells readers why they received the mail. */
export const footers: Record<
  ShopLanguage,
  { ordered: (store: string) => string; wrote: (store: string) => string }
> = {
  en: {
    ordered: (store) => `You are receiving this email because you ordered from ${store}.`,
    wrote: (store) =>
      `You are receiving this email because someone sent a form at ${store} with this address.`,
  },
  de: {
    ordered: (store) => `Sie erhalten diese Mail, weil Sie bei ${store} bestellt haben.`,
    wrote: (store) =>
      `Sie erhalten diese Mail, weil jemand mit dieser Adresse ein Formular von ${store} abgeschickt hat.`,
  },
  fr: {
    ordered: (store) => `Vous recevez cet e-mail parce que vous avez commandé chez ${store}.`,
    wrote: (store) =>
      `Vous recevez cet e-mail parce qu’un formulaire de la boutique ${store} a été envoyé avec cette adresse.`,
  },
  es: {
    ordered: (store) => `Recibes este correo porque has comprado en ${store}.`,
    wrote: (store) =>
      `Recibes este correo porque alguien envió un formulario de ${store} con esta dirección.`,
  },
  it: {
    ordered: (store) => `Ricevi questa e-mail perché hai ordinato da ${store}.`,
    wrote: (store) =>
      `Ricevi questa e-mail perché qualcuno ha inviato un modulo di ${store} con questo indirizzo.`,
  },
  nl: {
    ordered: (store) => `Je ontvangt deze e-mail omdat je bij ${store} hebt besteld.`,
    wrote: (store) =>
      `Je ontvangt deze e-mail omdat iemand met dit adres een formulier van ${store} heeft verstuurd.`,
  },
};
