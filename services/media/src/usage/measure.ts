import { Gauge, metrics, type ServiceContext, type TaskDefinition } from '@waybill/kernel';
import type { Config } from '../config.ts';
import type { Tables } from '../tables.ts';
import { sumUsage } from './queries.ts';

const storedBytes = new Gauge({
  name: 'waybill_media_stored_bytes',
  help: 'What all stores together have stored: assets, trashed ones too, and variants made of them.',
  labelNames: ['kind'],
  registers: [metrics],
});
const storesNearQuota = new Gauge({
  name: 'waybill_media_stores_near_quota',
  help: 'How many stores have used nine tenths of their quota, or more.',
  registers: [metrics],
});

/** Sets the gauges of stored bytes. The statement reads one row of every store: a tenth of a second for a million. */
export const tasks = ({ config, db }: ServiceContext<Config, Tables>): TaskDefinition[] => [
  {
    name: 'measure-usage',
    everyMs: 300_000,
    async run() {
      const { assets, variants, nearQuota } = await sumUsage(db, config.quotaBytes);
      storedBytes.set({ kind: 'assets' }, assets);
      storedBytes.set({ kind: 'variants' }, variants);
      storesNearQuota.set(nearQuota);
    },
  },
];
