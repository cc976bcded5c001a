interface SlipTexts {
  packingSlip: string;
  order: string;
  orderDate: string;
  delivery: string;
  item: string;
  quantity: string;
}

/** The texts of a packing slip in the languages of shop pages, since customers read it. */
const slipTexts = {
  en: {
    packingSlip: 'Packing slip',
    order: 'Order',
    orderDate: 'Ordered on',
    delivery: 'Delivery address',
    item: 'Item',
    quantity: 'Quantity',
  },
  de: {
    packingSlip: 'Lieferschein',
    order: 'Bestellung',
    orderDate: 'Bestellt am',
    delivery: 'Lieferadresse',
    item: 'Artikel',
    quantity: 'Menge',
  },
  fr: {
    packingSlip: 'Bon de livraison',
    order: 'Commande',
    orderDate: 'Commandé le',
    delivery: 'Adresse de livraison',
    item: 'Article',
    quantity: 'Quantité',
  },
  es: {
    packingSlip: 'Albarán',
    order: 'Pedido',
    orderDate: 'Pedido el',
    delivery: 'Dirección de envío',
    item: 'Artículo',
    quantity: 'Cantidad',
  },
  it: {
    packingSlip: 'Documento di trasporto',
    order: 'Ordine',
    orderDate: 'Ordinato il',
    delivery: 'Indirizzo di consegna',
    item: 'Articolo',
    quantity: 'Quantità',
  },
  nl: {
    packingSlip: 'Pakbon',
    order: 'Bestelling',
    orderDate: 'Besteld op',
    delivery: 'Afleveradres',
    item: 'Artikel',
    quantity: 'Aantal',
  },
} as const satisfies Record<string, SlipTexts>;

/** Returns the texts in the language of an order, or English. */
export function getSlipTexts(locale: string | null): { language: string; texts: SlipTexts } {
  const language = locale?.split('-')[0]?.toLowerCase() ?? 'en';
  return language in slipTexts
    ? { language, texts: slipTexts[language as keyof typeof slipTexts] }
    : { language: 'en', texts: slipTexts.en };
}
