import { defineConfig, runProgram } from '@waybill/kernel';
import Type from 'typebox';
import { runCommand } from '../admin/command.ts';

const settings = defineConfig(
  Type.Object({
    WAYBILL_SERVICE_TOKEN: Type.String(),
    PUBLIC_BASE_URL: Type.String(),
    INTERNAL_PORT: Type.Integer(),
  }),
);

/** `admin` in identity's container: what `npm run admin` is on a machine of one's own. */
runProgram(async () => {
  const { WAYBILL_SERVICE_TOKEN, PUBLIC_BASE_URL, INTERNAL_PORT } = settings.read(process.env);
  await runCommand(process.argv.slice(2), {
    baseUrl: PUBLIC_BASE_URL.replace(/\/+$/, ''),
    identityUrl: `http://127.0.0.1:${INTERNAL_PORT}`,
    serviceToken: WAYBILL_SERVICE_TOKEN,
  });
  process.exit(0);
});
