import { errors } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

/** `decisions.md 17.7`. */
export const routes = defineRoutes({
  isDomainAllowed: {
    method: 'GET',
    path: '/internal/domains/allowed',
    // Who ends TLS in front of the gateway asks before it gets a certificate, and bears nothing.
    access: 'public',
    summary: 'Whether a store is shown at a domain',
    query: Type.Object({ domain: Type.String({ minLength: 1, maxLength: 253 }) }),
    answer: [200, Type.Object({ domain: Type.String() })],
    errors: [errors.resource_unavailable],
  },
});
