import { Counter, Gauge, metrics } from '@waybill/kernel';

export const recordedFacts = new Counter({
  name: 'waybill_payments_facts_total',
  help: 'What providers have reported of payments, each once, by kind.',
  labelNames: ['kind'],
  registers: [metrics],
});

export const receivedEvents = new Counter({
  name: 'waybill_payments_events_total',
  help: 'Events of providers by outcome: stored, repeated, refused (a wrong signature).',
  labelNames: ['outcome'],
  registers: [metrics],
});

export const unknownEvents = new Counter({
  name: 'waybill_payments_events_unknown_total',
  help: 'Events of payments that are not known here.',
  registers: [metrics],
});

export const providerCalls = new Counter({
  name: 'waybill_payments_provider_calls_total',
  help: 'Calls to providers by provider, call and outcome: done, refused, pending, silent.',
  labelNames: ['provider', 'call', 'outcome'],
  registers: [metrics],
});

export const oldestUndecided = new Gauge({
  name: 'waybill_payments_oldest_undecided_seconds',
  help: 'The age of the oldest payment that is still to be looked up; 0 when there is none.',
  registers: [metrics],
});

export const lookUpDelay = new Gauge({
  name: 'waybill_payments_lookup_delay_seconds',
  help: 'How long the look-up at a provider that is due longest has waited; 0 when none is due.',
  registers: [metrics],
});

export const onHold = new Gauge({
  name: 'waybill_payments_on_hold',
  help: 'Whether no provider is called, as after a restore: PAYMENTS_RESUME=on ends that.',
  registers: [metrics],
});
