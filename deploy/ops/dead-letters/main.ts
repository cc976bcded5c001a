import { defineConfig, openDeadQueues, runProgram } from '@waybill/kernel';
import Type from 'typebox';
import { openPlace } from '../backup/place.ts';
import { runDead } from './dead-letters.ts';

const settings = defineConfig(
  Type.Object({ AMQP_URL: Type.String({ default: 'amqp://guest:guest@127.0.0.1:5672' }) }),
);

/** `npm run dead-letters`; with `--cluster` for the system of `npm run cluster`, otherwise of `npm start`. */
runProgram(async () => {
  const args = process.argv.slice(2);
  const isCluster = args.includes('--cluster');
  const place = await openPlace(isCluster, false);
  const { AMQP_URL } = settings.read(process.env);
  const broker = isCluster ? await openDeadQueues(AMQP_URL, place.namespace) : null;
  try {
    await runDead(
      args.filter((arg) => arg !== '--cluster'),
      place,
      broker,
    );
  } finally {
    await broker?.close();
    await place.close();
  }
  process.exit(0);
});
