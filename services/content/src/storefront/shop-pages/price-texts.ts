import type { QuotedCart, RejectedCode } from '@waybill/contracts';

/** The texts of carts, checkouts and orders about their price, by language. */
export interface PriceTexts {
  /** Separates the kind of a sum from its name. */
  colon: string;
  subtotal: string;
  discount: string;
  shipping: string;
  /** Precedes a tax that prices include. */
  included: string;
  free: string;
  plusShipping: string;
  freeFrom(amount: string): string;
  delivery: string;
  /** Returns a text such as `1–3 days`; empty when neither number is known. */
  days(min: number | null, max: number | null): string;
  code: string;
  vatId: string;
  apply: string;
  reverseCharge: string;
  rejections: Readonly<Record<RejectedCode['reason'], string>>;
  problems: Readonly<Record<NonNullable<QuotedCart['problem']>, string>>;
}

/** Builds the function for texts such as `1–3 days` from the words for one and for several. */
const daysIn =
  (one: string, many: string) =>
  (min: number | null, max: number | null): string => {
    const last = max ?? min;
    if (last === null) return '';
    const range = min !== null && min !== last ? `${min}–${last}` : `${last}`;
    return `${range} ${last === 1 ? one : many}`;
  };

const english: PriceTexts = {
  colon: ': ',
  subtotal: 'Subtotal',
  discount: 'Discount',
  shipping: 'Shipping',
  included: 'incl.',
  free: 'free',
  plusShipping: 'Plus shipping, depending on the destination.',
  freeFrom: (amount) => `Free shipping from ${amount}.`,
  delivery: 'Delivery',
  days: daysIn('day', 'days'),
  code: 'Discount code',
  vatId: 'VAT ID (businesses)',
  apply: 'Apply',
  reverseCharge: 'Reverse charge: the buyer owes the tax.',
  rejections: {
    unknown: 'there is no such code.',
    notStarted: 'this code cannot be used yet.',
    ended: 'this code has expired.',
    disabled: 'this code cannot be used.',
    usedUp: 'this code has been used up.',
    minimum: 'your order does not reach the minimum for this code.',
    notCombinable: 'this code cannot be combined with another discount.',
    nothingApplies: 'this code saves nothing on what is in your cart.',
  },
  problems: {
    no_shipping: 'We cannot send this order to that address.',
    invalid_shipping_rate: 'This delivery option is not available for your address. Please choose another.',
    invalid_vat_id: 'This is not a valid VAT ID of another EU country.',
  },
};

const languages: Readonly<Record<string, PriceTexts>> = {
  en: english,
  de: {
    colon: ': ',
    subtotal: 'Zwischensumme',
    discount: 'Rabatt',
    shipping: 'Versand',
    included: 'inkl.',
    free: 'kostenlos',
    plusShipping: 'Zuzüglich Versandkosten, je nach Lieferort.',
    freeFrom: (amount) => `Versandkostenfrei ab ${amount}.`,
    delivery: 'Lieferung',
    days: daysIn('Tag', 'Tage'),
    code: 'Rabattcode',
    vatId: 'USt-IdNr. (Unternehmen)',
    apply: 'Anwenden',
    reverseCharge: 'Steuerschuldnerschaft des Leistungsempfängers.',
    rejections: {
      unknown: 'diesen Code gibt es nicht.',
      notStarted: 'dieser Code gilt noch nicht.',
      ended: 'dieser Code ist abgelaufen.',
      disabled: 'dieser Code gilt nicht.',
      usedUp: 'dieser Code ist aufgebraucht.',
      minimum: 'Ihre Bestellung erreicht den Mindestwert dieses Codes nicht.',
      notCombinable: 'dieser Code lässt sich nicht mit einem anderen Rabatt kombinieren.',
      nothingApplies: 'dieser Code gilt für nichts in Ihrem Warenkorb.',
    },
    problems: {
      no_shipping: 'An diese Adresse können wir die Bestellung nicht senden.',
      invalid_shipping_rate: 'Diese Lieferart gibt es für Ihre Adresse nicht. Bitte wählen Sie eine andere.',
      invalid_vat_id: 'Das ist keine gültige USt-IdNr. eines anderen EU-Landes.',
    },
  },
  fr: {
    colon: '\u00a0: ',
    subtotal: 'Sous-total',
    discount: 'Remise',
    shipping: 'Livraison',
    included: 'dont',
    free: 'offerte',
    plusShipping: 'Frais de livraison en sus, selon la destination.',
    freeFrom: (amount) => `Livraison offerte à partir de ${amount}.`,
    delivery: 'Mode de livraison',
    days: daysIn('jour', 'jours'),
    code: 'Code de réduction',
    vatId: 'Numéro de TVA (entreprises)',
    apply: 'Appliquer',
    reverseCharge: 'Autoliquidation\u00a0: la TVA est due par le preneur.',
    rejections: {
      unknown: 'ce code n’existe pas.',
      notStarted: 'ce code n’est pas encore valable.',
      ended: 'ce code a expiré.',
      disabled: 'ce code n’est pas valable.',
      usedUp: 'ce code est épuisé.',
      minimum: 'votre commande n’atteint pas le minimum de ce code.',
      notCombinable: 'ce code ne se cumule pas avec une autre remise.',
      nothingApplies: 'ce code ne s’applique pas à votre panier.',
    },
    problems: {
      no_shipping: 'Nous ne pouvons pas livrer à cette adresse.',
      invalid_shipping_rate:
        'Ce mode de livraison n’est pas proposé à votre adresse. Veuillez en choisir un autre.',
      invalid_vat_id: 'Ce n’est pas un numéro de TVA valable d’un autre pays de l’UE.',
    },
  },
  es: {
    colon: ': ',
    subtotal: 'Subtotal',
    discount: 'Descuento',
    shipping: 'Envío',
    included: 'incl.',
    free: 'gratis',
    plusShipping: 'Más gastos de envío, según el destino.',
    freeFrom: (amount) => `Envío gratis desde ${amount}.`,
    delivery: 'Entrega',
    days: daysIn('día', 'días'),
    code: 'Código de descuento',
    vatId: 'NIF-IVA (empresas)',
    apply: 'Aplicar',
    reverseCharge: 'Inversión del sujeto pasivo.',
    rejections: {
      unknown: 'este código no existe.',
      notStarted: 'este código aún no es válido.',
      ended: 'este código ha caducado.',
      disabled: 'este código no es válido.',
      usedUp: 'este código está agotado.',
      minimum: 'tu pedido no alcanza el mínimo de este código.',
      notCombinable: 'este código no se puede combinar con otro descuento.',
      nothingApplies: 'este código no descuenta nada de tu carrito.',
    },
    problems: {
      no_shipping: 'No podemos enviar este pedido a esa dirección.',
      invalid_shipping_rate: 'Esta forma de envío no se ofrece para tu dirección. Elige otra.',
      invalid_vat_id: 'No es un NIF-IVA válido de otro país de la UE.',
    },
  },
  it: {
    colon: ': ',
    subtotal: 'Subtotale',
    discount: 'Sconto',
    shipping: 'Spedizione',
    included: 'incl.',
    free: 'gratuita',
    plusShipping: 'Più spedizione, in base alla destinazione.',
    freeFrom: (amount) => `Spedizione gratuita da ${amount}.`,
    delivery: 'Consegna',
    days: daysIn('giorno', 'giorni'),
    code: 'Codice sconto',
    vatId: 'Partita IVA (imprese)',
    apply: 'Applica',
    reverseCharge: 'Inversione contabile: l’IVA è dovuta dal cliente.',
    rejections: {
      unknown: 'questo codice non esiste.',
      notStarted: 'questo codice non è ancora valido.',
      ended: 'questo codice è scaduto.',
      disabled: 'questo codice non è valido.',
      usedUp: 'questo codice è esaurito.',
      minimum: 'l’ordine non raggiunge il minimo di questo codice.',
      notCombinable: 'questo codice non è cumulabile con un altro sconto.',
      nothingApplies: 'questo codice non si applica al carrello.',
    },
    problems: {
      no_shipping: 'Non possiamo spedire questo ordine a quell’indirizzo.',
      invalid_shipping_rate: 'Questa consegna non è disponibile per l’indirizzo. Scegline un’altra.',
      invalid_vat_id: 'Non è una partita IVA valida di un altro paese dell’UE.',
    },
  },
  nl: {
    colon: ': ',
    subtotal: 'Subtotaal',
    discount: 'Korting',
    shipping: 'Verzending',
    included: 'incl.',
    free: 'gratis',
    plusShipping: 'Exclusief verzendkosten, afhankelijk van de bestemming.',
    freeFrom: (amount) => `Gratis verzending vanaf ${amount}.`,
    delivery: 'Levering',
    days: daysIn('dag', 'dagen'),
    code: 'Kortingscode',
    vatId: 'Btw-nummer (bedrijven)',
    apply: 'Toepassen',
    reverseCharge: 'Btw verlegd.',
    rejections: {
      unknown: 'deze code bestaat niet.',
      notStarted: 'deze code is nog niet geldig.',
      ended: 'deze code is verlopen.',
      disabled: 'deze code is niet geldig.',
      usedUp: 'deze code is opgebruikt.',
      minimum: 'je bestelling haalt het minimum van deze code niet.',
      notCombinable: 'deze code is niet te combineren met een andere korting.',
      nothingApplies: 'deze code geeft geen korting op je winkelwagen.',
    },
    problems: {
      no_shipping: 'Naar dit adres kunnen we niet verzenden.',
      invalid_shipping_rate: 'Deze levering is niet mogelijk op je adres. Kies een andere.',
      invalid_vat_id: 'Dit is geen geldig btw-nummer van een ander EU-land.',
    },
  },
  pt: {
    colon: ': ',
    subtotal: 'Subtotal',
    discount: 'Desconto',
    shipping: 'Envio',
    included: 'incl.',
    free: 'grátis',
    plusShipping: 'Acresce o envio, conforme o destino.',
    freeFrom: (amount) => `Envio grátis a partir de ${amount}.`,
    delivery: 'Entrega',
    days: daysIn('dia', 'dias'),
    code: 'Código de desconto',
    vatId: 'NIF IVA (empresas)',
    apply: 'Aplicar',
    reverseCharge: 'IVA – autoliquidação.',
    rejections: {
      unknown: 'este código não existe.',
      notStarted: 'este código ainda não é válido.',
      ended: 'este código expirou.',
      disabled: 'este código não é válido.',
      usedUp: 'este código está esgotado.',
      minimum: 'o pedido não atinge o mínimo deste código.',
      notCombinable: 'este código não se combina com outro desconto.',
      nothingApplies: 'este código não desconta nada do carrinho.',
    },
    problems: {
      no_shipping: 'Não enviamos este pedido para essa morada.',
      invalid_shipping_rate: 'Esta entrega não está disponível para a sua morada. Escolha outra.',
      invalid_vat_id: 'Não é um NIF IVA válido de outro país da UE.',
    },
  },
};

/** Returns the texts of a language (`de-AT` means `de`), or the English ones. */
export function priceTextsIn(tag: string): PriceTexts {
  const [language = ''] = tag.split('-');
  return Object.hasOwn(languages, language) ? languages[language]! : english;
}
