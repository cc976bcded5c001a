import { subscriptions as table } from '@waybill/contracts';
import type { SubscriptionDefinition } from '@waybill/kernel';
import type { Context } from './config.ts';
import { followStores } from './expiry/expiry.ts';

export const subscriptions = ({ db }: Context): SubscriptionDefinition[] => [
  { ...table.ordersStores, batch: 100, handle: (events) => followStores(db, events) },
];
