import { errors } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

/** What the gateway answers by itself, `decisions.md 9.1, 9.6`. */
export const routes = defineRoutes({
  health: {
    method: 'GET',
    path: '/healthz',
    access: 'public',
    summary: 'Whether every service is ready',
    answer: [200, Type.Object({ status: Type.Literal('ok') })],
    errors: [errors.resource_unavailable],
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    access: 'public',
    summary: 'This document',
    answer: [200, Type.Object({ openapi: Type.String() })],
  },
  reference: {
    method: 'GET',
    path: '/docs',
    access: 'public',
    summary: 'The interactive reference',
    answer: [200, Type.String()],
    contentType: 'text/html',
  },
  referenceFile: {
    method: 'GET',
    path: '/docs/{file}',
    access: 'public',
    summary: 'A file of the interactive reference',
    answer: [200, Type.String()],
    contentType: 'text/plain',
  },
});
