import { getWayName } from '../src/shell/payment-ways.ts';
import de from '../src/texts/de/payment-states.ts';
import en from '../src/texts/en/payment-states.ts';

test('a payment method has its common name, and an unknown one the provider’s', () => {
  const inEnglish = (method: string | null) => getWayName(en, { method, provider: 'stripe' });
  expect(inEnglish('card')).toBe('Card');
  expect(inEnglish('revolut_pay')).toBe('Revolut pay');
  expect(inEnglish('constructor')).toBe('Constructor');
  expect(inEnglish(null)).toBe('Stripe');
  expect(getWayName(de, { method: 'sepa_debit', provider: 'stripe' })).toBe('SEPA-Lastschrift');
});
