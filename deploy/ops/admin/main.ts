import { runProgram } from '@waybill/kernel';
import { readCallers } from '../../secrets.ts';
import { settings } from '../../settings.ts';
import { findRunning } from '../../standalone/data-directory.ts';
import { runCommand } from './command.ts';

/** `npm run admin`: runs commands on the system that uses the data directory, in either topology. */
runProgram(async () => {
  const { path, ...addresses } = await findRunning(settings.read(process.env).dataDir);
  const { operatorToken: serviceToken } = await readCallers(path, process.env, []);
  await runCommand(process.argv.slice(2), { ...addresses, serviceToken });
  process.exit(0);
});
