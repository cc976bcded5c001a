import { Counter, metrics } from '@waybill/kernel';

export const ledgerChecks = new Counter({
  name: 'waybill_orders_ledger_checks_total',
  help: 'Orders whose money was compared with the entries of its ledger, by outcome: same, different.',
  labelNames: ['outcome'],
  registers: [metrics],
});
