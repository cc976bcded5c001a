import { errors } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

/** Routes of domains: `decisions.md 17.7`. */
export const routes = defineRoutes({
  isDomainAllowed: {
    method: 'GET',
    path: '/internal/domains/allowed',
    // The TLS terminator in front of the gateway calls this without a credential before it requests a certificate.
    access: 'public',
    summary: 'Check whether a store is shown at a domain',
    query: Type.Object({ domain: Type.String({ minLength: 1, maxLength: 253 }) }),
    answer: [200, Type.Object({ domain: Type.String() })],
    errors: [errors.resource_unavailable],
  },
});
