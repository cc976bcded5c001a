import { existsSync } from 'node:fs';
import { errors } from '@waybill/contracts';
import { Answer, type Handlers, rawJson, type ServiceContext, singleFlight } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { forwardedServices } from '../prefixes.ts';
import { createApiDocument } from './api-document.ts';
import { createDownloads } from './downloads.ts';
import { createReference } from './reference.ts';
import type { routes } from './routes.ts';

/** Maximum age of an answer about health. */
const readyMs = 1_000;

export const handlers = ({ config, peers, log }: ServiceContext<Config>): Handlers<typeof routes> => {
  const presentServices = () => forwardedServices.filter((service) => peers.has(service));
  const apiDocument = createApiDocument(peers, presentServices, log);
  const reference = createReference();
  const downloads = createDownloads();
  // Anybody may ask at any rate, so concurrent requests share one check.
  const shared = singleFlight<boolean>();
  let ready = { is: false, since: Number.NEGATIVE_INFINITY };

  async function areAllServicesReady(): Promise<boolean> {
    const ready = presentServices().map((service) =>
      peers.call(service, 'GET', `/internal/ready/${service}`),
    );
    return !(await Promise.all(ready)).includes(null);
  }

  /**
   * Returns the result of the last check if it was positive and at most `readyMs` old, while a new check runs. So
   * health is reported quickly even when everything is slow.
   */
  async function isReady(): Promise<boolean> {
    const check = shared('ready', areAllServicesReady).then((is) => {
      ready = { is, since: performance.now() };
      return is;
    });
    if (!ready.is || performance.now() - ready.since > readyMs) return check;
    check.catch(() => {});
    return true;
  }

  /** Without a configured address, uses the address of the request. */
  const baseUrlFor = (headers: Readonly<Record<string, string | string[] | undefined>>) =>
    config.baseUrl || `http://${headers.host}`;

  return {
    async index({ headers }) {
      const baseUrl = baseUrlFor(headers);
      return {
        name: 'Waybill',
        api: `${baseUrl}/api/v1`,
        openapi: `${baseUrl}/openapi.json`,
        docs: `${baseUrl}/docs`,
        console: `${baseUrl}/console/`,
        health: `${baseUrl}/healthz`,
      };
    },
    async health() {
      if (config.readyFile && !existsSync(config.readyFile)) throw errors.resource_unavailable();
      if (!(await isReady())) throw errors.resource_unavailable();
      return { status: 'ok' as const };
    },
    async openapi({ headers }) {
      const anybody = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=60' };
      return new Answer(await apiDocument.text(baseUrlFor(headers)), rawJson('').contentType, anybody);
    },
    docs: async ({ headers }) => reference.overview(baseUrlFor(headers)),
    async docsPart({ params, headers }) {
      const part = await reference.part(params.part, baseUrlFor(headers), headers);
      if (!part) throw errors.not_found();
      return part;
    },
    async download({ params }) {
      const tarball = await downloads.find(params.file);
      if (!tarball) throw errors.not_found();
      return new Answer(tarball, 'application/gzip', { 'cache-control': 'public, max-age=3600' });
    },
  };
};
