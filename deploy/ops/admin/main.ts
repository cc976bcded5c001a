import { runProgram } from '@waybill/kernel';
import { readCallers } from '../../secrets.ts';
import { settings } from '../../settings.ts';
import { findRunning } from '../../standalone/data-directory.ts';
import { runCommand } from './command.ts';

/** `npm run admin`: speaks to the system that runs on the data directory, whichever of the two it is. */
runProgram(async () => {
  const { path, ...addresses } = await findRunning(settings.read(process.env).dataDir);
  const { operatorToken: serviceToken } = await readCallers(path, process.env, []);
  await runCommand(process.argv.slice(2), { ...addresses, serviceToken });
  process.exit(0);
});
