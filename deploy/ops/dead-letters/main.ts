import { defineConfig, openDeadQueues, runProgram } from '@waybill/kernel';
import Type from 'typebox';
import { openInstallation } from '../backup/installation.ts';
import { runDead } from './dead-letters.ts';

const settings = defineConfig(
  Type.Object({ AMQP_URL: Type.String({ default: 'amqp://guest:guest@127.0.0.1:5672' }) }),
);

/** `npm run dead-letters`; with `--cluster` for the system of `npm run cluster`, otherwise of `npm start`. */
runProgram(async () => {
  const args = process.argv.slice(2);
  const isCluster = args.includes('--cluster');
  const installation = await openInstallation(isCluster, false);
  const { AMQP_URL } = settings.read(process.env);
  const broker = isCluster ? await openDeadQueues(AMQP_URL, installation.namespace) : null;
  try {
    await runDead(
      args.filter((arg) => arg !== '--cluster'),
      installation,
      broker,
    );
  } finally {
    await broker?.close();
    await installation.close();
  }
  process.exit(0);
});
