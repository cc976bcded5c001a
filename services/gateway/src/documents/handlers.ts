import { existsSync } from 'node:fs';
import { errors } from '@waybill/contracts';
import { Answer, type Handlers, rawJson, type ServiceContext, shareLookUps } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { services } from '../prefixes.ts';
import { createApiDocument } from './api-document.ts';
import { createReference } from './reference.ts';
import type { routes } from './routes.ts';

export const handlers = ({ config, peers, log }: ServiceContext<Config>): Handlers<typeof routes> => {
  const present = () => services.filter((service) => peers.has(service));
  const apiDocument = createApiDocument(peers, present, log);
  const reference = createReference();
  // Anybody may ask, as often as they like.
  const shared = shareLookUps<boolean>();

  async function isEverybodyReady(): Promise<boolean> {
    const ready = present().map((service) => peers.call(service, 'GET', `/internal/ready/${service}`));
    return !(await Promise.all(ready)).includes(null);
  }

  return {
    async health() {
      if (config.readyFile && !existsSync(config.readyFile)) throw errors.resource_unavailable();
      if (!(await shared('ready', isEverybodyReady))) throw errors.resource_unavailable();
      return { status: 'ok' as const };
    },
    async openapi({ headers }) {
      const anybody = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=60' };
      // While nobody has said where the system is reached, it is where the reader has just reached it.
      const baseUrl = config.baseUrl || `http://${headers.host}`;
      return new Answer(await apiDocument.text(baseUrl), rawJson('').contentType, anybody);
    },
    docs: async () => reference.overview(),
    async docsPart({ params, headers }) {
      const part = await reference.part(params.part, headers);
      if (!part) throw errors.not_found();
      return part;
    },
  };
};
