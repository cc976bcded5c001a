/** The texts of checkouts and orders about payment, by language. */
export interface PaymentTexts {
  method: string;
  payNow: string;
  payOtherwise: string;
  toPay: string;
  preparing: string;
  underWay: string;
  failed: string;
  test: string;
  required: string;
  invalid: string;
  notNow: string;
  checking: string;
  declined: string;
  cancelled: string;
  nothingToPay: string;
  goesBack: string;
  wentBack: string;
  seeOrder: string;
}

const english: PaymentTexts = {
  method: 'Payment',
  payNow: 'Pay now',
  payOtherwise: 'Pay another way',
  toPay: 'Your order has not been paid yet.',
  preparing: 'Your payment is being prepared. This page updates by itself.',
  underWay: 'Your payment is under way. A bank debit takes a few days.',
  failed: 'The payment was not completed, and no money was taken. You can try again, or pay another way.',
  test: 'Test mode: no money moves.',
  required: 'Choose how you want to pay.',
  invalid: 'This payment method is not available for your order. Please choose another.',
  notNow: 'The payment could not be started. Please look at the order once more.',
  checking: 'Checking your payment. This page updates by itself.',
  declined: 'Your last attempt was declined, and no money was taken. You can try again, or pay another way.',
  cancelled: 'Order cancelled',
  nothingToPay: 'There is nothing to pay any more.',
  goesBack: 'If a payment of yours still arrives, it is refunded.',
  wentBack: 'What you paid has been refunded.',
  seeOrder: 'See your order',
};

const languages: Readonly<Record<string, PaymentTexts>> = {
  en: english,
  de: {
    method: 'Zahlung',
    payNow: 'Jetzt bezahlen',
    payOtherwise: 'Auf andere Weise bezahlen',
    toPay: 'Ihre Bestellung ist noch nicht bezahlt.',
    preparing: 'Ihre Zahlung wird vorbereitet. Diese Seite aktualisiert sich von selbst.',
    underWay: 'Ihre Zahlung ist unterwegs. Bei einer Lastschrift dauert das einige Tage.',
    failed:
      'Die Zahlung wurde nicht abgeschlossen, es wurde nichts abgebucht. Versuchen Sie es noch einmal, oder bezahlen Sie anders.',
    test: 'Testbetrieb: Es fließt kein Geld.',
    required: 'Wählen Sie, wie Sie bezahlen möchten.',
    invalid: 'Diese Zahlungsart gibt es für Ihre Bestellung nicht. Bitte wählen Sie eine andere.',
    notNow: 'Die Zahlung konnte nicht begonnen werden. Bitte sehen Sie sich die Bestellung noch einmal an.',
    checking: 'Ihre Zahlung wird geprüft. Diese Seite aktualisiert sich von selbst.',
    declined:
      'Ihr letzter Versuch wurde abgelehnt, es wurde nichts abgebucht. Versuchen Sie es noch einmal, oder bezahlen Sie anders.',
    cancelled: 'Bestellung storniert',
    nothingToPay: 'Es ist nichts mehr zu bezahlen.',
    goesBack: 'Sollte noch eine Zahlung von Ihnen eingehen, wird sie erstattet.',
    wentBack: 'Was Sie bezahlt haben, wurde erstattet.',
    seeOrder: 'Zu Ihrer Bestellung',
  },
  fr: {
    method: 'Paiement',
    payNow: 'Payer maintenant',
    payOtherwise: 'Payer autrement',
    toPay: 'Votre commande n’est pas encore payée.',
    preparing: 'Votre paiement est en préparation. Cette page s’actualise d’elle-même.',
    underWay: 'Votre paiement est en cours. Un prélèvement prend quelques jours.',
    failed: 'Le paiement n’a pas abouti et rien n’a été débité. Vous pouvez réessayer ou payer autrement.',
    test: 'Mode test\u00a0: aucun argent ne circule.',
    required: 'Choisissez comment vous souhaitez payer.',
    invalid: 'Ce mode de paiement n’est pas proposé pour votre commande. Veuillez en choisir un autre.',
    notNow: 'Le paiement n’a pas pu commencer. Veuillez revoir la commande.',
    checking: 'Votre paiement est en cours de vérification. Cette page s’actualise d’elle-même.',
    declined:
      'Votre dernière tentative a été refusée et rien n’a été débité. Vous pouvez réessayer ou payer autrement.',
    cancelled: 'Commande annulée',
    nothingToPay: 'Il n’y a plus rien à payer.',
    goesBack: 'Si un paiement de votre part arrive encore, il sera remboursé.',
    wentBack: 'Ce que vous avez payé a été remboursé.',
    seeOrder: 'Voir votre commande',
  },
  es: {
    method: 'Pago',
    payNow: 'Pagar ahora',
    payOtherwise: 'Pagar de otra forma',
    toPay: 'Tu pedido está pendiente de pago.',
    preparing: 'Tu pago se está preparando. Esta página se actualiza sola.',
    underWay: 'Tu pago está en curso. Un adeudo bancario tarda algunos días.',
    failed: 'El pago no se completó y no se cobró nada. Puedes intentarlo de nuevo o pagar de otra forma.',
    test: 'Modo de prueba: no se mueve dinero.',
    required: 'Elige cómo quieres pagar.',
    invalid: 'Esta forma de pago no se ofrece para tu pedido. Elige otra.',
    notNow: 'No se pudo iniciar el pago. Revisa de nuevo el pedido.',
    checking: 'Estamos comprobando tu pago. Esta página se actualiza sola.',
    declined:
      'Tu último intento fue rechazado y no se cobró nada. Puedes intentarlo de nuevo o pagar de otra forma.',
    cancelled: 'Pedido cancelado',
    nothingToPay: 'Ya no hay nada que pagar.',
    goesBack: 'Si todavía llega un pago tuyo, se te reembolsará.',
    wentBack: 'Lo que pagaste se ha reembolsado.',
    seeOrder: 'Ver tu pedido',
  },
  it: {
    method: 'Pagamento',
    payNow: 'Paga ora',
    payOtherwise: 'Paga in un altro modo',
    toPay: 'Il tuo ordine è ancora da pagare.',
    preparing: 'Il tuo pagamento è in preparazione. Questa pagina si aggiorna da sola.',
    underWay: 'Il tuo pagamento è in corso. Un addebito bancario richiede alcuni giorni.',
    failed:
      'Il pagamento non è stato completato e non è stato addebitato nulla. Puoi riprovare o pagare in un altro modo.',
    test: 'Modalità di prova: non si muove denaro.',
    required: 'Scegli come vuoi pagare.',
    invalid: 'Questo metodo di pagamento non è offerto per il tuo ordine. Scegline un altro.',
    notNow: 'Il pagamento non è stato avviato. Controlla di nuovo l’ordine.',
    checking: 'Stiamo verificando il pagamento. Questa pagina si aggiorna da sola.',
    declined:
      'L’ultimo tentativo è stato rifiutato e non è stato addebitato nulla. Puoi riprovare o pagare in un altro modo.',
    cancelled: 'Ordine annullato',
    nothingToPay: 'Non c’è più nulla da pagare.',
    goesBack: 'Se arriva ancora un tuo pagamento, verrà rimborsato.',
    wentBack: 'Quello che hai pagato è stato rimborsato.',
    seeOrder: 'Vedi il tuo ordine',
  },
  nl: {
    method: 'Betaling',
    payNow: 'Nu betalen',
    payOtherwise: 'Anders betalen',
    toPay: 'Je bestelling moet nog worden betaald.',
    preparing: 'Je betaling wordt voorbereid. Deze pagina werkt zichzelf bij.',
    underWay: 'Je betaling is onderweg. Een incasso duurt enkele dagen.',
    failed:
      'De betaling is niet voltooid en er is niets afgeschreven. Je kunt het opnieuw proberen of anders betalen.',
    test: 'Testmodus: er wordt geen geld verplaatst.',
    required: 'Kies hoe je wilt betalen.',
    invalid: 'Deze betaalwijze is voor je bestelling niet beschikbaar. Kies een andere.',
    notNow: 'De betaling kon niet worden gestart. Bekijk de bestelling nog eens.',
    checking: 'Je betaling wordt gecontroleerd. Deze pagina werkt zichzelf bij.',
    declined:
      'Je laatste poging is geweigerd en er is niets afgeschreven. Je kunt het opnieuw proberen of anders betalen.',
    cancelled: 'Bestelling geannuleerd',
    nothingToPay: 'Er hoeft niets meer te worden betaald.',
    goesBack: 'Als er nog een betaling van je binnenkomt, wordt die terugbetaald.',
    wentBack: 'Wat je hebt betaald, is terugbetaald.',
    seeOrder: 'Bekijk je bestelling',
  },
  pt: {
    method: 'Pagamento',
    payNow: 'Pagar agora',
    payOtherwise: 'Pagar de outra forma',
    toPay: 'A sua encomenda ainda está por pagar.',
    preparing: 'O seu pagamento está a ser preparado. Esta página atualiza-se sozinha.',
    underWay: 'O seu pagamento está em curso. Um débito bancário demora alguns dias.',
    failed: 'O pagamento não foi concluído e nada foi cobrado. Pode tentar de novo ou pagar de outra forma.',
    test: 'Modo de teste: nenhum dinheiro é movimentado.',
    required: 'Escolha como quer pagar.',
    invalid: 'Esta forma de pagamento não é oferecida para a sua encomenda. Escolha outra.',
    notNow: 'Não foi possível iniciar o pagamento. Veja a encomenda mais uma vez.',
    checking: 'O seu pagamento está a ser verificado. Esta página atualiza-se sozinha.',
    declined:
      'A última tentativa foi recusada e nada foi cobrado. Pode tentar de novo ou pagar de outra forma.',
    cancelled: 'Encomenda cancelada',
    nothingToPay: 'Já não há nada a pagar.',
    goesBack: 'Se ainda chegar um pagamento seu, será reembolsado.',
    wentBack: 'O que pagou foi reembolsado.',
    seeOrder: 'Ver a sua encomenda',
  },
};

/** Returns the texts of a language (`de-AT` means `de`), or the English ones. */
export function paymentTextsIn(tag: string): PaymentTexts {
  const [language = ''] = tag.split('-');
  return Object.hasOwn(languages, language) ? languages[language]! : english;
}
