import type { ShopLanguage } from '@waybill/contracts';
import type { Exemption } from '../content.ts';

/** The words of a document. */
export interface DocumentTexts {
  /** Separates a label from its value. */
  colon: string;
  invoice: string;
  creditNote: string;
  packingSlip: string;
  number: string;
  date: string;
  order: string;
  orderDate: string;
  customerVatId: string;
  ofInvoice: (number: string, date: string) => string;
  item: string;
  quantity: string;
  unitPrice: string;
  tax: string;
  amount: string;
  discount: string;
  subtotal: string;
  shipping: string;
  refund: string;
  net: string;
  untaxed: string;
  /** A line of tax: its name with the percentage, and the net amount that it applies to. */
  taxOn: (tax: string, base: string) => string;
  includedTaxOn: (tax: string, base: string) => string;
  total: string;
  creditTotal: string;
  paid: string;
  due: string;
  reason: string;
  delivery: string;
  terms: string;
  transfer: string;
  vatId: string;
  taxNumber: string;
  page: (page: number, pages: number) => string;
  exemptions: Record<Exemption, string>;
}

export const documentTexts: Record<ShopLanguage, DocumentTexts> = {
  en: {
    colon: ': ',
    invoice: 'Invoice',
    creditNote: 'Credit note',
    packingSlip: 'Packing slip',
    number: 'Number',
    date: 'Date',
    order: 'Order',
    orderDate: 'Ordered on',
    customerVatId: 'Your VAT ID',
    ofInvoice: (number, date) => `Corrects invoice ${number} of ${date}.`,
    item: 'Item',
    quantity: 'Quantity',
    unitPrice: 'Unit price',
    tax: 'Tax',
    amount: 'Amount',
    discount: 'Discount',
    subtotal: 'Subtotal',
    shipping: 'Shipping',
    refund: 'Refund',
    net: 'Net amount',
    untaxed: 'Untaxed',
    taxOn: (tax, base) => `${tax} on ${base}`,
    includedTaxOn: (tax, base) => `Includes ${tax} on ${base}`,
    total: 'Total',
    creditTotal: 'Total credited',
    paid: 'Already paid',
    due: 'Amount due',
    reason: 'Reason',
    delivery: 'The date of supply is the date of this document unless stated otherwise.',
    terms: 'Payable on receipt without deduction.',
    transfer: 'Payment by bank transfer',
    vatId: 'VAT ID',
    taxNumber: 'Tax number',
    page: (page, pages) => `Page ${page} of ${pages}`,
    exemptions: {
      reverseCharge: 'Reverse charge: the recipient is liable for the tax.',
      smallBusiness: 'Exempt from VAT under the scheme for small enterprises.',
      export: 'Exempt from VAT: export outside the European Union.',
      exempt: 'Exempt from tax.',
    },
  },
  de: {
    colon: ': ',
    invoice: 'Rechnung',
    creditNote: 'Rechnungskorrektur',
    packingSlip: 'Lieferschein',
    number: 'Nummer',
    date: 'Datum',
    order: 'Bestellung',
    orderDate: 'Bestellt am',
    customerVatId: 'Ihre USt-IdNr.',
    ofInvoice: (number, date) => `Korrigiert die Rechnung ${number} vom ${date}.`,
    item: 'Artikel',
    quantity: 'Menge',
    unitPrice: 'Einzelpreis',
    tax: 'USt.',
    amount: 'Betrag',
    discount: 'Rabatt',
    subtotal: 'Zwischensumme',
    shipping: 'Versand',
    refund: 'Erstattung',
    net: 'Nettobetrag',
    untaxed: 'Ohne Umsatzsteuer',
    taxOn: (tax, base) => `${tax} auf ${base}`,
    includedTaxOn: (tax, base) => `Enthält ${tax} auf ${base}`,
    total: 'Gesamtbetrag',
    creditTotal: 'Gutgeschriebener Betrag',
    paid: 'Bereits bezahlt',
    due: 'Zu zahlen',
    reason: 'Grund',
    delivery: 'Das Leistungsdatum entspricht dem Datum dieses Belegs, sofern nicht anders angegeben.',
    terms: 'Zahlbar sofort nach Erhalt ohne Abzug.',
    transfer: 'Zahlung per Überweisung',
    vatId: 'USt-IdNr.',
    taxNumber: 'Steuernummer',
    page: (page, pages) => `Seite ${page} von ${pages}`,
    exemptions: {
      reverseCharge: 'Steuerschuldnerschaft des Leistungsempfängers.',
      smallBusiness: 'Steuerfrei nach der Kleinunternehmerregelung (in Deutschland § 19 UStG).',
      export: 'Steuerfreie Ausfuhrlieferung.',
      exempt: 'Steuerfrei.',
    },
  },
  fr: {
    colon: '\u00a0: ',
    invoice: 'Facture',
    creditNote: 'Avoir',
    packingSlip: 'Bon de livraison',
    number: 'Numéro',
    date: 'Date',
    order: 'Commande',
    orderDate: 'Commandé le',
    customerVatId: 'Votre n° de TVA',
    ofInvoice: (number, date) => `Rectifie la facture ${number} du ${date}.`,
    item: 'Article',
    quantity: 'Quantité',
    unitPrice: 'Prix unitaire',
    tax: 'TVA',
    amount: 'Montant',
    discount: 'Remise',
    subtotal: 'Sous-total',
    shipping: 'Livraison',
    refund: 'Remboursement',
    net: 'Montant HT',
    untaxed: 'Sans TVA',
    taxOn: (tax, base) => `${tax} sur ${base}`,
    includedTaxOn: (tax, base) => `Dont ${tax} sur ${base}`,
    total: 'Total',
    creditTotal: 'Total de l’avoir',
    paid: 'Déjà payé',
    due: 'Reste à payer',
    reason: 'Motif',
    delivery: 'Sauf indication contraire, la date de livraison est celle de ce document.',
    terms: 'Payable à réception, sans escompte.',
    transfer: 'Paiement par virement',
    vatId: 'N° de TVA',
    taxNumber: 'N° fiscal',
    page: (page, pages) => `Page ${page} sur ${pages}`,
    exemptions: {
      reverseCharge: 'Autoliquidation\u00a0: la TVA est due par le preneur.',
      smallBusiness:
        'TVA non applicable\u00a0: franchise des petites entreprises (en France, art. 293 B du CGI).',
      export: 'Exonéré de TVA\u00a0: exportation hors de l’Union européenne.',
      exempt: 'Exonéré de TVA.',
    },
  },
  es: {
    colon: ': ',
    invoice: 'Factura',
    creditNote: 'Factura rectificativa',
    packingSlip: 'Albarán',
    number: 'Número',
    date: 'Fecha',
    order: 'Pedido',
    orderDate: 'Fecha del pedido',
    customerVatId: 'NIF-IVA cliente',
    ofInvoice: (number, date) => `Rectifica la factura ${number} del ${date}.`,
    item: 'Artículo',
    quantity: 'Cantidad',
    unitPrice: 'Precio unitario',
    tax: 'IVA',
    amount: 'Importe',
    discount: 'Descuento',
    subtotal: 'Subtotal',
    shipping: 'Envío',
    refund: 'Reembolso',
    net: 'Base imponible',
    untaxed: 'Sin IVA',
    taxOn: (tax, base) => `${tax} sobre ${base}`,
    includedTaxOn: (tax, base) => `Incluye ${tax} sobre ${base}`,
    total: 'Total',
    creditTotal: 'Total abonado',
    paid: 'Ya pagado',
    due: 'Por pagar',
    reason: 'Motivo',
    delivery: 'Salvo indicación en contrario, la fecha de la operación es la de este documento.',
    terms: 'A pagar a la recepción, sin descuento.',
    transfer: 'Pago por transferencia',
    vatId: 'NIF-IVA',
    taxNumber: 'Número fiscal',
    page: (page, pages) => `Página ${page} de ${pages}`,
    exemptions: {
      reverseCharge: 'Inversión del sujeto pasivo: el destinatario debe el impuesto.',
      smallBusiness: 'Exento de IVA por el régimen de franquicia de las pequeñas empresas.',
      export: 'Exento de IVA: exportación fuera de la Unión Europea.',
      exempt: 'Exento de IVA.',
    },
  },
  it: {
    colon: ': ',
    invoice: 'Fattura',
    creditNote: 'Nota di credito',
    packingSlip: 'Documento di trasporto',
    number: 'Numero',
    date: 'Data',
    order: 'Ordine',
    orderDate: 'Data dell’ordine',
    customerVatId: 'P. IVA cliente',
    ofInvoice: (number, date) => `Rettifica la fattura ${number} del ${date}.`,
    item: 'Articolo',
    quantity: 'Quantità',
    unitPrice: 'Prezzo unitario',
    tax: 'IVA',
    amount: 'Importo',
    discount: 'Sconto',
    subtotal: 'Subtotale',
    shipping: 'Spedizione',
    refund: 'Rimborso',
    net: 'Imponibile',
    untaxed: 'Senza IVA',
    taxOn: (tax, base) => `${tax} su ${base}`,
    includedTaxOn: (tax, base) => `Include ${tax} su ${base}`,
    total: 'Totale',
    creditTotal: 'Totale accreditato',
    paid: 'Già pagato',
    due: 'Da pagare',
    reason: 'Motivo',
    delivery: 'Salvo diversa indicazione, la data dell’operazione è quella di questo documento.',
    terms: 'Pagamento alla ricezione, senza sconto.',
    transfer: 'Pagamento con bonifico',
    vatId: 'Partita IVA',
    taxNumber: 'Codice fiscale',
    page: (page, pages) => `Pagina ${page} di ${pages}`,
    exemptions: {
      reverseCharge: 'Inversione contabile: l’imposta è dovuta dal committente.',
      smallBusiness: 'Operazione senza IVA: regime di franchigia delle piccole imprese.',
      export: 'Non imponibile: esportazione fuori dall’Unione europea.',
      exempt: 'Esente da IVA.',
    },
  },
  nl: {
    colon: ': ',
    invoice: 'Factuur',
    creditNote: 'Creditnota',
    packingSlip: 'Pakbon',
    number: 'Nummer',
    date: 'Datum',
    order: 'Bestelling',
    orderDate: 'Besteld op',
    customerVatId: 'Btw-nummer klant',
    ofInvoice: (number, date) => `Corrigeert factuur ${number} van ${date}.`,
    item: 'Artikel',
    quantity: 'Aantal',
    unitPrice: 'Stuksprijs',
    tax: 'Btw',
    amount: 'Bedrag',
    discount: 'Korting',
    subtotal: 'Subtotaal',
    shipping: 'Verzending',
    refund: 'Terugbetaling',
    net: 'Nettobedrag',
    untaxed: 'Zonder btw',
    taxOn: (tax, base) => `${tax} over ${base}`,
    includedTaxOn: (tax, base) => `Inclusief ${tax} over ${base}`,
    total: 'Totaal',
    creditTotal: 'Totaal gecrediteerd',
    paid: 'Al betaald',
    due: 'Te betalen',
    reason: 'Reden',
    delivery: 'Tenzij anders vermeld is de leverdatum gelijk aan de datum van dit document.',
    terms: 'Te betalen bij ontvangst, zonder korting.',
    transfer: 'Betaling per overschrijving',
    vatId: 'Btw-nummer',
    taxNumber: 'Belastingnummer',
    page: (page, pages) => `Pagina ${page} van ${pages}`,
    exemptions: {
      reverseCharge: 'Btw verlegd naar de afnemer.',
      smallBusiness: 'Vrijgesteld van btw onder de kleineondernemersregeling.',
      export: 'Vrijgesteld van btw: uitvoer buiten de Europese Unie.',
      exempt: 'Vrijgesteld van btw.',
    },
  },
};

/** File names of documents without a number. */
export const fileNames = {
  invoice: 'invoice',
  creditNote: 'credit-note',
  packingSlip: 'packing-slip',
} as const;
