import { catalog } from '@waybill/catalog';
import { gateway } from '@waybill/gateway';
import { identity } from '@waybill/identity';
import type { ServiceDefinition } from '@waybill/kernel';

/** All of Waybill. */
export const services: readonly ServiceDefinition[] = [gateway, identity, catalog];
