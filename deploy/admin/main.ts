import { runProgram } from '@waybill/kernel';
import { withSecrets } from '../secrets.ts';
import { settings } from '../settings.ts';
import { findRunning } from '../standalone/data-directory.ts';
import { runCommand } from './command.ts';

/** `npm run admin`: speaks to the system that runs on the data directory, whichever of the two it is. */
runProgram(async () => {
  const { path, ...addresses } = await findRunning(settings.read(process.env).dataDir);
  const { WAYBILL_SERVICE_TOKEN } = await withSecrets(path, process.env);
  await runCommand(process.argv.slice(2), { ...addresses, serviceToken: WAYBILL_SERVICE_TOKEN! });
  process.exit(0);
});
