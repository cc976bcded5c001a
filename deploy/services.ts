import { catalog } from '@waybill/catalog';
import { delivery } from '@waybill/delivery';
import { gateway } from '@waybill/gateway';
import { identity } from '@waybill/identity';
import type { ServiceDefinition } from '@waybill/kernel';
import { webhooks } from '@waybill/webhooks';

/** All of Waybill. */
export const services: readonly ServiceDefinition[] = [gateway, identity, catalog, webhooks, delivery];
