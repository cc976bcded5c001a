import { defineConfig, logLevels } from '@waybill/kernel';
import Type from 'typebox';

const port = (options: object) => Type.Integer({ minimum: 0, maximum: 65535, ...options });

/** Whether paths can be appended to a URL. */
function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !/[?#]/.test(text);
}

/** The settings of the composition itself, `decisions.md 9.1, 9.5`; each service reads its own settings. */
export const settings = defineConfig(
  Type.Object({
    PORT: port({ default: 8080 }),
    INTERNAL_PORT: port({ default: 0, description: 'Metrics, health, internal routes; 0: any free port.' }),
    WAYBILL_DATA_DIR: Type.String({ default: '.waybill' }),
    WAYBILL_DEMO: Type.Enum(['on', 'off', 'full'], {
      default: 'full',
      description:
        '`full`: the first start furnishes the demo store as a small shop; `on`: it stays empty; `off`: there is none.',
    }),
    MEDIA_STORE: Type.Optional(
      Type.String({ description: 'A setting of media; `off`: the demo has no pictures.' }),
    ),
    LOG_LEVEL: Type.Optional(Type.Enum([...logLevels])),
    PUBLIC_BASE_URL: Type.Optional(Type.String()),
    WAYBILL_CITUS_WORKERS: Type.Optional(
      Type.String({
        description:
          'Of `npm run cluster`: the workers of the Citus cluster whose coordinator DATABASE_URL names, `host:port,…`; their roles and databases are made as on the coordinator.',
      }),
    ),
    WAYBILL_CITUS_COORDINATOR: Type.Optional(
      Type.String({ description: 'How workers reach the coordinator, where not as DATABASE_URL says.' }),
    ),
  }),
  (env) => {
    const publicUrl = env.PUBLIC_BASE_URL;
    if (publicUrl && !isBaseUrl(publicUrl)) {
      throw new Error('PUBLIC_BASE_URL: must be an http or https URL without user, query and fragment');
    }
    return {
      port: env.PORT,
      internalPort: env.INTERNAL_PORT,
      dataDir: env.WAYBILL_DATA_DIR,
      demo: env.WAYBILL_DEMO !== 'off',
      hasShop: env.WAYBILL_DEMO === 'full',
      storesFiles: env.MEDIA_STORE !== 'off',
      logLevel: env.LOG_LEVEL,
      citusWorkers: env.WAYBILL_CITUS_WORKERS ?? '',
      citusCoordinator: env.WAYBILL_CITUS_COORDINATOR ?? '',
      publicUrl: (publicUrl ?? `http://127.0.0.1:${env.PORT}`).replace(/(?<!\/)\/+$/, ''),
    };
  },
);
