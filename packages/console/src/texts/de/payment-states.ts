import type english from '../en/payment-states.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  states: {
    pending: 'Ausstehend',
    authorized: 'Autorisiert',
    captured: 'Eingezogen',
    partially_refunded: 'Teilweise erstattet',
    refunded: 'Erstattet',
    voided: 'Storniert',
    failed: 'Fehlgeschlagen',
    disputed: 'Angefochten',
  },
  entries: {
    authorized: 'Autorisiert',
    captured: 'Eingezogen',
    refunded: 'Erstattet',
    voided: 'Storniert',
    failed: 'Fehlgeschlagen',
    disputed: 'Angefochten',
    disputeWon: 'Anfechtung gewonnen',
    disputeLost: 'Anfechtung verloren',
    noted: 'Status vermerkt',
  },
  ways: { card: 'Karte', sepa_debit: 'SEPA-Lastschrift', us_bank_account: 'US-Bankkonto' },
  providers: { manual: 'Manuell', stripe: 'Stripe', app: 'App' },
  test: 'Testmodus',
};

export default words;
