import { maxOrderQuantity } from '@waybill/contracts';
import { getWords } from '@waybill/page';

/** The texts of the pages of carts, checkouts and orders by language; English for all others. */
export interface ShopTexts {
  cart: string;
  checkout: string;
  thanks: string;
  empty: string;
  continueShopping: string;
  quantity: string;
  remove: string;
  update: string;
  total: string;
  /** Items were removed because they are no longer sold. */
  gone: string;
  /** The reasons why an item in a cart is no longer sold. */
  goneReasons: Readonly<Record<'offSale' | 'deleted' | 'variantDeleted', string>>;
  /** The request to remove these items. */
  removeGone: string;
  contact: string;
  address: string;
  summary: string;
  name: string;
  email: string;
  phone: string;
  line1: string;
  line2: string;
  postalCode: string;
  city: string;
  region: string;
  country: string;
  optional: string;
  choose: string;
  placeOrder: string;
  changeCart: string;
  /** Shown above a form with wrong fields, and at those fields. */
  check: string;
  missing: string;
  wrongEmail: string;
  tooLong: string;
  /** The value contains control characters, such as a tab. */
  notALine: string;
  /** Items that are sold out, or not available in that quantity. */
  soldOut: string;
  soldOutTaken: string;
  fewerLeft: string;
  /** The field contains no quantity of an order. */
  wrongQuantity: string;
  tooMany: string;
  /** The total has risen since the page was made; the new one is shown below. */
  dearer: string;
  /** Reasons why an order was not placed for now. */
  usedBefore: string;
  tooOften: string;
  notNow: string;
  fromElsewhere: string;
  order: string;
  received: string;
  payNow: string;
  toPay: string;
  state: string;
  states: Readonly<Record<'open' | 'completed' | 'cancelled', string>>;
  payment: string;
  payments: Readonly<
    Record<'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided', string>
  >;
  delivery: string;
  deliveries: Readonly<Record<'unfulfilled' | 'partially_fulfilled' | 'fulfilled' | 'returned', string>>;
  sentTo: string;
}

const english: Omit<ShopTexts, 'cart' | 'choose' | 'soldOut'> = {
  checkout: 'Checkout',
  thanks: 'Thank you',
  empty: 'Your cart is empty.',
  continueShopping: 'Continue shopping',
  quantity: 'Quantity',
  remove: 'Remove',
  update: 'Update cart',
  total: 'Total',
  gone: 'An item in your cart is no longer sold and was removed.',
  goneReasons: {
    offSale: 'Not for sale at the moment.',
    deleted: 'No longer sold.',
    variantDeleted: 'This version is no longer sold.',
  },
  removeGone: 'Remove it to go on.',
  contact: 'Contact',
  address: 'Address',
  summary: 'Your order',
  name: 'Name',
  email: 'E-mail',
  phone: 'Phone',
  line1: 'Street and number',
  line2: 'Address supplement',
  postalCode: 'Postal code',
  city: 'City',
  region: 'State or region',
  country: 'Country',
  optional: 'optional',
  placeOrder: 'Place order',
  changeCart: 'Change cart',
  check: 'Please check the fields that are marked.',
  missing: 'This field is required.',
  wrongEmail: 'Enter an e-mail address, like name@example.com.',
  tooLong: 'This is too long.',
  notALine: 'This contains characters that cannot be used. Please type it again.',
  soldOutTaken: 'is sold out and was taken out of your cart. Please look at the rest before you order.',
  fewerLeft: 'There are fewer left. Choose a smaller quantity.',
  wrongQuantity: `The quantity must be a whole number from 1 to ${maxOrderQuantity}.`,
  tooMany: 'That is more than an order can contain.',
  dearer: 'Prices have changed meanwhile. Please look at the new total before you order.',
  usedBefore: 'This form has placed an order before. Please look at it once more, and place the order again.',
  tooOften: 'Too many orders were placed. Please try again in a minute.',
  notNow:
    'Your order could not be placed just now. Please try again in a minute; however often you try, it is one order.',
  fromElsewhere: 'This came from another site, so nothing was done. Please try again here.',
  order: 'Order',
  received: 'We have received your order.',
  payNow: 'Pay now',
  toPay: 'Your order has not been paid yet.',
  state: 'Status',
  states: { open: 'Open', completed: 'Completed', cancelled: 'Cancelled' },
  payment: 'Payment',
  payments: {
    pending: 'Pending',
    authorized: 'Authorized',
    paid: 'Paid',
    refunded: 'Refunded',
    voided: 'Voided',
    partially_refunded: 'Partially refunded',
  },
  delivery: 'Delivery',
  deliveries: {
    unfulfilled: 'Not shipped yet',
    partially_fulfilled: 'Partially shipped',
    fulfilled: 'Shipped',
    returned: 'Returned',
  },
  sentTo: 'Shipping address',
};

const languages: Readonly<Record<string, typeof english>> = {
  en: english,
  de: {
    checkout: 'Kasse',
    thanks: 'Danke',
    empty: 'Ihr Warenkorb ist leer.',
    continueShopping: 'Weiter einkaufen',
    quantity: 'Menge',
    remove: 'Entfernen',
    update: 'Warenkorb aktualisieren',
    total: 'Summe',
    gone: 'Etwas in Ihrem Warenkorb wird nicht mehr verkauft und wurde entfernt.',
    goneReasons: {
      offSale: 'Zurzeit nicht im Verkauf.',
      deleted: 'Wird nicht mehr verkauft.',
      variantDeleted: 'Diese Ausführung wird nicht mehr verkauft.',
    },
    removeGone: 'Entfernen Sie es, um fortzufahren.',
    contact: 'Kontakt',
    address: 'Adresse',
    summary: 'Ihre Bestellung',
    name: 'Name',
    email: 'E-Mail',
    phone: 'Telefon',
    line1: 'Straße und Hausnummer',
    line2: 'Adresszusatz',
    postalCode: 'Postleitzahl',
    city: 'Ort',
    region: 'Bundesland oder Region',
    country: 'Land',
    optional: 'optional',
    placeOrder: 'Zahlungspflichtig bestellen',
    changeCart: 'Warenkorb ändern',
    check: 'Bitte prüfen Sie die markierten Felder.',
    missing: 'Bitte füllen Sie dieses Feld aus.',
    wrongEmail: 'Geben Sie eine E-Mail-Adresse wie name@example.com ein.',
    tooLong: 'Das ist zu lang.',
    notALine: 'Das enthält unzulässige Zeichen. Bitte geben Sie es neu ein.',
    soldOutTaken:
      'ist ausverkauft und wurde aus Ihrem Warenkorb entfernt. Bitte sehen Sie sich den Rest an, bevor Sie bestellen.',
    fewerLeft: 'So viele sind nicht mehr da. Wählen Sie eine kleinere Menge.',
    wrongQuantity: `Die Menge muss eine ganze Zahl von 1 bis ${maxOrderQuantity} sein.`,
    tooMany: 'Das ist mehr, als eine Bestellung enthalten darf.',
    dearer:
      'Die Preise haben sich inzwischen geändert. Bitte sehen Sie sich die neue Summe an, bevor Sie bestellen.',
    usedBefore:
      'Mit diesem Formular wurde schon bestellt. Bitte sehen Sie es noch einmal durch und bestellen Sie dann erneut.',
    tooOften:
      'Es wurden zu viele Bestellungen aufgegeben. Bitte versuchen Sie es in einer Minute noch einmal.',
    notNow:
      'Ihre Bestellung ging gerade nicht durch. Bitte versuchen Sie es in einer Minute noch einmal; es bleibt bei einer Bestellung.',
    fromElsewhere:
      'Das kam von einer anderen Website, deshalb geschah nichts. Bitte versuchen Sie es hier noch einmal.',
    order: 'Bestellung',
    received: 'Ihre Bestellung ist bei uns eingegangen.',
    payNow: 'Jetzt bezahlen',
    toPay: 'Ihre Bestellung ist noch nicht bezahlt.',
    state: 'Status',
    states: { open: 'Offen', completed: 'Abgeschlossen', cancelled: 'Storniert' },
    payment: 'Zahlung',
    payments: {
      pending: 'Ausstehend',
      authorized: 'Genehmigt',
      paid: 'Bezahlt',
      refunded: 'Erstattet',
      voided: 'Aufgehoben',
      partially_refunded: 'Teilweise erstattet',
    },
    delivery: 'Lieferung',
    deliveries: {
      unfulfilled: 'Noch nicht versandt',
      partially_fulfilled: 'Teilweise versandt',
      fulfilled: 'Versandt',
      returned: 'Zurückgegeben',
    },
    sentTo: 'Lieferadresse',
  },
  fr: {
    checkout: 'Commander',
    thanks: 'Merci',
    empty: 'Votre panier est vide.',
    continueShopping: 'Continuer mes achats',
    quantity: 'Quantité',
    remove: 'Retirer',
    update: 'Actualiser le panier',
    total: 'Total',
    gone: 'Un article de votre panier n’est plus vendu et a été retiré.',
    goneReasons: {
      offSale: 'Pas en vente pour le moment.',
      deleted: 'N’est plus vendu.',
      variantDeleted: 'Cette version n’est plus vendue.',
    },
    removeGone: 'Retirez-le pour continuer.',
    contact: 'Contact',
    address: 'Adresse',
    summary: 'Votre commande',
    name: 'Nom',
    email: 'E-mail',
    phone: 'Téléphone',
    line1: 'Rue et numéro',
    line2: 'Complément d’adresse',
    postalCode: 'Code postal',
    city: 'Ville',
    region: 'Région',
    country: 'Pays',
    optional: 'facultatif',
    placeOrder: 'Commander avec obligation de paiement',
    changeCart: 'Modifier le panier',
    check: 'Veuillez vérifier les champs signalés.',
    missing: 'Ce champ est obligatoire.',
    wrongEmail: 'Saisissez une adresse comme nom@example.com.',
    tooLong: 'C’est trop long.',
    notALine: 'Ce champ contient des caractères non autorisés. Veuillez le saisir à nouveau.',
    soldOutTaken: 'est épuisé et a été retiré de votre panier. Vérifiez le reste avant de commander.',
    fewerLeft: 'Il en reste moins. Choisissez une quantité plus petite.',
    wrongQuantity: `La quantité doit être un nombre entier de 1 à ${maxOrderQuantity}.`,
    tooMany: 'C’est plus qu’une commande ne peut en contenir.',
    dearer: 'Des prix ont changé entre-temps. Vérifiez le nouveau total avant de commander.',
    usedBefore: 'Ce formulaire a déjà servi à une commande. Vérifiez-le, puis passez de nouveau la commande.',
    tooOften: 'Trop de commandes ont été passées. Réessayez dans une minute.',
    notNow:
      'La commande n’a pas pu être passée. Réessayez dans une minute\u00a0; elle ne comptera qu’une fois.',
    fromElsewhere: 'Cela venait d’un autre site, rien n’a donc été fait. Réessayez ici.',
    order: 'Commande',
    received: 'Nous avons reçu votre commande.',
    payNow: 'Payer maintenant',
    toPay: 'Votre commande n’est pas encore payée.',
    state: 'État',
    states: { open: 'Ouverte', completed: 'Terminée', cancelled: 'Annulée' },
    payment: 'Paiement',
    payments: {
      pending: 'En attente',
      authorized: 'Autorisé',
      paid: 'Payé',
      refunded: 'Remboursé',
      voided: 'Annulé',
      partially_refunded: 'Partiellement remboursé',
    },
    delivery: 'Livraison',
    deliveries: {
      unfulfilled: 'Pas encore expédiée',
      partially_fulfilled: 'Expédiée en partie',
      fulfilled: 'Expédiée',
      returned: 'Retournée',
    },
    sentTo: 'Adresse de livraison',
  },
  es: {
    checkout: 'Tramitar pedido',
    thanks: 'Gracias',
    empty: 'Tu carrito está vacío.',
    continueShopping: 'Seguir comprando',
    quantity: 'Cantidad',
    remove: 'Quitar',
    update: 'Actualizar carrito',
    total: 'Total',
    gone: 'Algo de tu carrito ya no se vende y se ha quitado.',
    goneReasons: {
      offSale: 'No está a la venta por ahora.',
      deleted: 'Ya no se vende.',
      variantDeleted: 'Esta versión ya no se vende.',
    },
    removeGone: 'Quítalo para continuar.',
    contact: 'Contacto',
    address: 'Dirección',
    summary: 'Tu pedido',
    name: 'Nombre',
    email: 'Correo electrónico',
    phone: 'Teléfono',
    line1: 'Calle y número',
    line2: 'Complemento',
    postalCode: 'Código postal',
    city: 'Ciudad',
    region: 'Provincia',
    country: 'País',
    optional: 'opcional',
    placeOrder: 'Pedido con obligación de pago',
    changeCart: 'Cambiar el carrito',
    check: 'Revisa los campos marcados.',
    missing: 'Este campo es obligatorio.',
    wrongEmail: 'Escribe una dirección como nombre@example.com.',
    tooLong: 'Es demasiado largo.',
    notALine: 'Contiene caracteres no permitidos. Escríbelo de nuevo.',
    soldOutTaken: 'está agotado y se ha quitado de tu carrito. Revisa el resto antes de hacer el pedido.',
    fewerLeft: 'Quedan menos. Elige una cantidad menor.',
    wrongQuantity: `La cantidad debe ser un número entero del 1 al ${maxOrderQuantity}.`,
    tooMany: 'Es más de lo que puede tener un pedido.',
    dearer: 'Los precios han cambiado mientras tanto. Revisa el nuevo total antes de hacer el pedido.',
    usedBefore: 'Este formulario ya se usó para un pedido. Revísalo y haz el pedido de nuevo.',
    tooOften: 'Se han hecho demasiados pedidos. Inténtalo de nuevo en un minuto.',
    notNow: 'El pedido no se ha podido hacer. Inténtalo de nuevo en un minuto; contará una sola vez.',
    fromElsewhere: 'Esto venía de otro sitio web, así que no se hizo nada. Inténtalo de nuevo aquí.',
    order: 'Pedido',
    received: 'Hemos recibido tu pedido.',
    payNow: 'Pagar ahora',
    toPay: 'Tu pedido está pendiente de pago.',
    state: 'Estado',
    states: { open: 'Abierto', completed: 'Completado', cancelled: 'Cancelado' },
    payment: 'Pago',
    payments: {
      pending: 'Pendiente',
      authorized: 'Autorizado',
      paid: 'Pagado',
      refunded: 'Reembolsado',
      voided: 'Anulado',
      partially_refunded: 'Reembolsado en parte',
    },
    delivery: 'Entrega',
    deliveries: {
      unfulfilled: 'Aún no enviado',
      partially_fulfilled: 'Enviado en parte',
      fulfilled: 'Enviado',
      returned: 'Devuelto',
    },
    sentTo: 'Dirección de envío',
  },
  it: {
    checkout: 'Cassa',
    thanks: 'Grazie',
    empty: 'Il carrello è vuoto.',
    continueShopping: 'Continua gli acquisti',
    quantity: 'Quantità',
    remove: 'Rimuovi',
    update: 'Aggiorna il carrello',
    total: 'Totale',
    gone: 'Qualcosa nel carrello non è più in vendita ed è stato tolto.',
    goneReasons: {
      offSale: 'Al momento non in vendita.',
      deleted: 'Non più in vendita.',
      variantDeleted: 'Questa versione non è più in vendita.',
    },
    removeGone: 'Rimuovilo per continuare.',
    contact: 'Contatto',
    address: 'Indirizzo',
    summary: 'Il tuo ordine',
    name: 'Nome',
    email: 'E-mail',
    phone: 'Telefono',
    line1: 'Via e numero',
    line2: 'Altri dati',
    postalCode: 'CAP',
    city: 'Città',
    region: 'Provincia',
    country: 'Paese',
    optional: 'facoltativo',
    placeOrder: 'Ordine con obbligo di pagare',
    changeCart: 'Modifica il carrello',
    check: 'Controlla i campi segnalati.',
    missing: 'Questo campo è obbligatorio.',
    wrongEmail: 'Scrivi un indirizzo come nome@example.com.',
    tooLong: 'È troppo lungo.',
    notALine: 'Contiene caratteri non ammessi. Scrivilo di nuovo.',
    soldOutTaken: 'è esaurito ed è stato tolto dal carrello. Controlla il resto prima di ordinare.',
    fewerLeft: 'Ne restano meno. Scegli una quantità minore.',
    wrongQuantity: `La quantità deve essere un numero intero da 1 a ${maxOrderQuantity}.`,
    tooMany: 'È più di quanto un ordine possa avere.',
    dearer: 'Nel frattempo i prezzi sono cambiati. Controlla il nuovo totale prima di ordinare.',
    usedBefore: 'Con questo modulo è già stato fatto un ordine. Controllalo e invia di nuovo l’ordine.',
    tooOften: 'Sono stati fatti troppi ordini. Riprova tra un minuto.',
    notNow: 'Non è stato possibile inviare l’ordine. Riprova tra un minuto; conterà una volta sola.',
    fromElsewhere: 'Veniva da un altro sito, quindi non è successo nulla. Riprova qui.',
    order: 'Ordine',
    received: 'Abbiamo ricevuto il tuo ordine.',
    payNow: 'Paga ora',
    toPay: 'L’ordine è ancora da pagare.',
    state: 'Stato',
    states: { open: 'Aperto', completed: 'Completato', cancelled: 'Annullato' },
    payment: 'Pagamento',
    payments: {
      pending: 'In attesa',
      authorized: 'Autorizzato',
      paid: 'Pagato',
      refunded: 'Rimborsato',
      voided: 'Annullato',
      partially_refunded: 'Rimborsato in parte',
    },
    delivery: 'Consegna',
    deliveries: {
      unfulfilled: 'Non ancora spedito',
      partially_fulfilled: 'Spedito in parte',
      fulfilled: 'Spedito',
      returned: 'Reso',
    },
    sentTo: 'Indirizzo di spedizione',
  },
  nl: {
    checkout: 'Afrekenen',
    thanks: 'Bedankt',
    empty: 'Je winkelwagen is leeg.',
    continueShopping: 'Verder winkelen',
    quantity: 'Aantal',
    remove: 'Verwijderen',
    update: 'Winkelwagen bijwerken',
    total: 'Totaal',
    gone: 'Iets in je winkelwagen wordt niet meer verkocht en is eruit gehaald.',
    goneReasons: {
      offSale: 'Op dit moment niet te koop.',
      deleted: 'Wordt niet meer verkocht.',
      variantDeleted: 'Deze uitvoering wordt niet meer verkocht.',
    },
    removeGone: 'Verwijder het om verder te gaan.',
    contact: 'Contact',
    address: 'Adres',
    summary: 'Je bestelling',
    name: 'Naam',
    email: 'E-mail',
    phone: 'Telefoon',
    line1: 'Straat en huisnummer',
    line2: 'Toevoeging',
    postalCode: 'Postcode',
    city: 'Plaats',
    region: 'Provincie',
    country: 'Land',
    optional: 'optioneel',
    placeOrder: 'Bestelling met betalingsverplichting',
    changeCart: 'Winkelwagen wijzigen',
    check: 'Controleer de gemarkeerde velden.',
    missing: 'Dit veld is verplicht.',
    wrongEmail: 'Vul een adres in als naam@example.com.',
    tooLong: 'Dit is te lang.',
    notALine: 'Dit bevat tekens die niet zijn toegestaan. Typ het opnieuw.',
    soldOutTaken: 'is uitverkocht en uit je winkelwagen gehaald. Bekijk de rest voordat je bestelt.',
    fewerLeft: 'Er zijn er minder over. Kies een kleiner aantal.',
    wrongQuantity: `Het aantal moet een geheel getal van 1 tot en met ${maxOrderQuantity} zijn.`,
    tooMany: 'Dat is meer dan een bestelling mag hebben.',
    dearer: 'De prijzen zijn intussen veranderd. Bekijk het nieuwe totaal voordat je bestelt.',
    usedBefore: 'Met dit formulier is al besteld. Bekijk het nog eens en plaats de bestelling opnieuw.',
    tooOften: 'Er is te vaak besteld. Probeer het over een minuut opnieuw.',
    notNow: 'De bestelling lukte niet. Probeer het over een minuut opnieuw; hij telt maar één keer.',
    fromElsewhere: 'Dit kwam van een andere site, dus er is niets gebeurd. Probeer het hier opnieuw.',
    order: 'Bestelling',
    received: 'We hebben je bestelling ontvangen.',
    payNow: 'Nu betalen',
    toPay: 'Je bestelling moet nog worden betaald.',
    state: 'Status',
    states: { open: 'Open', completed: 'Afgerond', cancelled: 'Geannuleerd' },
    payment: 'Betaling',
    payments: {
      pending: 'In afwachting',
      authorized: 'Goedgekeurd',
      paid: 'Betaald',
      refunded: 'Terugbetaald',
      voided: 'Vervallen',
      partially_refunded: 'Deels terugbetaald',
    },
    delivery: 'Levering',
    deliveries: {
      unfulfilled: 'Nog niet verzonden',
      partially_fulfilled: 'Deels verzonden',
      fulfilled: 'Verzonden',
      returned: 'Teruggestuurd',
    },
    sentTo: 'Bezorgadres',
  },
  pt: {
    checkout: 'Finalizar compra',
    thanks: 'Obrigado',
    empty: 'O seu carrinho está vazio.',
    continueShopping: 'Continuar a comprar',
    quantity: 'Quantidade',
    remove: 'Remover',
    update: 'Atualizar carrinho',
    total: 'Total',
    gone: 'Algo no seu carrinho já não está à venda e foi retirado.',
    goneReasons: {
      offSale: 'De momento não está à venda.',
      deleted: 'Já não é vendido.',
      variantDeleted: 'Esta versão já não é vendida.',
    },
    removeGone: 'Remova-o para continuar.',
    contact: 'Contato',
    address: 'Endereço',
    summary: 'O seu pedido',
    name: 'Nome',
    email: 'E-mail',
    phone: 'Telefone',
    line1: 'Rua e número',
    line2: 'Complemento',
    postalCode: 'Código postal',
    city: 'Cidade',
    region: 'Estado ou região',
    country: 'País',
    optional: 'opcional',
    placeOrder: 'Encomenda com obrigação de pagar',
    changeCart: 'Alterar carrinho',
    check: 'Verifique os campos assinalados.',
    missing: 'Este campo é obrigatório.',
    wrongEmail: 'Escreva um endereço como nome@example.com.',
    tooLong: 'É demasiado longo.',
    notALine: 'Contém caracteres não permitidos. Escreva novamente.',
    soldOutTaken: 'está esgotado e foi retirado do carrinho. Verifique o resto antes de fazer o pedido.',
    fewerLeft: 'Restam menos. Escolha uma quantidade menor.',
    wrongQuantity: `A quantidade deve ser um número inteiro de 1 a ${maxOrderQuantity}.`,
    tooMany: 'É mais do que um pedido pode ter.',
    dearer: 'Os preços mudaram entretanto. Verifique o novo total antes de fazer o pedido.',
    usedBefore: 'Este formulário já fez um pedido. Verifique-o mais uma vez e faça o pedido novamente.',
    tooOften: 'Foram feitos demasiados pedidos. Tente novamente daqui a um minuto.',
    notNow:
      'Não foi possível fazer o pedido agora. Tente novamente daqui a um minuto; por mais vezes que tente, é um só pedido.',
    fromElsewhere: 'Isto veio de outro site, por isso nada foi feito. Tente novamente aqui.',
    order: 'Pedido',
    received: 'Recebemos o seu pedido.',
    payNow: 'Pagar agora',
    toPay: 'O seu pedido ainda não foi pago.',
    state: 'Estado',
    states: { open: 'Aberto', completed: 'Concluído', cancelled: 'Cancelado' },
    payment: 'Pagamento',
    payments: {
      pending: 'Pendente',
      authorized: 'Autorizado',
      paid: 'Pago',
      refunded: 'Reembolsado',
      voided: 'Anulado',
      partially_refunded: 'Parcialmente reembolsado',
    },
    delivery: 'Entrega',
    deliveries: {
      unfulfilled: 'Ainda não enviado',
      partially_fulfilled: 'Parcialmente enviado',
      fulfilled: 'Enviado',
      returned: 'Devolvido',
    },
    sentTo: 'Endereço de entrega',
  },
};

/** Returns the texts for a BCP 47 tag: those of its language, else the English ones. */
export function shopTextsIn(tag: string): ShopTexts {
  const language = tag.split('-', 1)[0]!;
  const { cart, choose, soldOut } = getWords(tag);
  return { ...(Object.hasOwn(languages, language) ? languages[language]! : english), cart, choose, soldOut };
}
