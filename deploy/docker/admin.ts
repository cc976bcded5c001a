import { defineConfig, keySettings, readKeys, runProgram } from '@waybill/kernel';
import Type from 'typebox';
import { runCommand } from '../ops/admin/command.ts';

const settings = defineConfig(
  Type.Object({
    ...keySettings('WAYBILL_SERVICE_TOKEN', 'What identity names itself with.'),
    PUBLIC_BASE_URL: Type.String(),
    INTERNAL_PORT: Type.Integer(),
  }),
);

/** `admin` in identity's container: the equivalent of `npm run admin`. */
runProgram(async () => {
  const env = settings.read(process.env);
  const { PUBLIC_BASE_URL, INTERNAL_PORT } = env;
  await runCommand(process.argv.slice(2), {
    baseUrl: PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, ''),
    identityUrl: `http://127.0.0.1:${INTERNAL_PORT}`,
    serviceToken: readKeys(env, 'WAYBILL_SERVICE_TOKEN')[0]!.value,
  });
  process.exit(0);
});
