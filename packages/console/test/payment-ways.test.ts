import { wayOf } from '../src/shell/payment-ways.ts';
import de from '../src/texts/de/payment-states.ts';
import en from '../src/texts/en/payment-states.ts';

test('the way of a payment is named as people know it, and an unknown one by the provider’s word', () => {
  const inEnglish = (method: string | null) => wayOf(en, { method, provider: 'stripe' });
  expect(inEnglish('card')).toBe('Card');
  expect(inEnglish('revolut_pay')).toBe('Revolut pay');
  expect(inEnglish('constructor')).toBe('Constructor');
  expect(inEnglish(null)).toBe('Stripe');
  expect(wayOf(de, { method: 'sepa_debit', provider: 'stripe' })).toBe('SEPA-Lastschrift');
});
