import { appPlatform } from '@waybill/app-platform';
import { catalog } from '@waybill/catalog';
import { content } from '@waybill/content';
import { delivery } from '@waybill/delivery';
import { gateway } from '@waybill/gateway';
import { identity } from '@waybill/identity';
import type { ServiceDefinition } from '@waybill/kernel';
import { media } from '@waybill/media';
import { orders } from '@waybill/orders';
import { payments } from '@waybill/payments';
import { webhooks } from '@waybill/webhooks';

/** All services of Waybill. */
export const services: readonly ServiceDefinition[] = [
  gateway,
  identity,
  catalog,
  orders,
  payments,
  content,
  media,
  appPlatform,
  webhooks,
  delivery,
];
