import { errors } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

const address = (path: string) => Type.String({ examples: [`https://waybill.example${path}`] });

/** Routes that the gateway answers itself: `decisions.md 9.1, 9.6`. */
export const routes = defineRoutes({
  index: {
    method: 'GET',
    path: '/',
    access: 'public',
    summary: 'List the addresses of this server',
    description:
      'The addresses of the API, its description, the guides and the console. Browsers are redirected to the ' +
      'console.',
    // The answer is a list of addresses, not the state of an item.
    isItem: false,
    answer: [
      200,
      Type.Object({
        name: Type.Literal('Waybill'),
        api: address('/api/v1'),
        openapi: address('/openapi.json'),
        docs: address('/docs'),
        console: address('/console/'),
        health: address('/healthz'),
      }),
    ],
  },
  health: {
    method: 'GET',
    path: '/healthz',
    access: 'public',
    summary: 'Check whether every service is ready',
    description: '200 if every service is ready, otherwise 503. For load balancers.',
    answer: [200, Type.Object({ status: Type.Literal('ok') })],
    errors: [errors.resource_unavailable],
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    access: 'public',
    summary: 'Read the OpenAPI document',
    description:
      'OpenAPI 3.1, compiled from the descriptions of the running services. For code generators and clients, ' +
      'from any origin.',
    answer: [200, Type.Object({ openapi: Type.String({ examples: ['3.1.0'] }) })],
  },
  docs: {
    method: 'GET',
    path: '/docs',
    access: 'public',
    summary: 'Show the list of guides',
    description: 'The guides, and a link to the reference.',
    answer: [200, Type.String()],
    contentType: 'text/html',
  },
  docsPart: {
    method: 'GET',
    path: '/docs/{part}',
    access: 'public',
    summary: 'Read a guide, the interactive reference, or one of its files',
    description: '`/docs/reference` is the reference; it stores your credential in this browser.',
    answer: [200, Type.String()],
    contentType: 'text/html',
  },
  download: {
    method: 'GET',
    path: '/docs/downloads/{file}',
    access: 'public',
    summary: 'Download an npm package',
    description:
      'The packages of this version’s SDK and command line: `npm install` accepts the address. See the guide ' +
      '“SDK and command line”.',
    isItem: false,
    answer: [200, Type.Unsafe<Buffer>(Type.String({ format: 'binary' }))],
    contentType: 'application/gzip',
  },
});
