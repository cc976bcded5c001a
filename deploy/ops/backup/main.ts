import { runProgram, StartError } from '@waybill/kernel';
import { backup } from './backup.ts';
import { openInstallation } from './installation.ts';
import { restore } from './restore.ts';

const usages = {
  backup: 'Usage: npm run backup -- <folder> [--cluster]',
  restore: 'Usage: npm run restore -- <folder> [--cluster] [--force]',
};

/**
 * `npm run backup` and `npm run restore`; with `--cluster` for the system of `npm run cluster`, otherwise of `npm
 * start`.
 */
runProgram(async () => {
  const [action, ...args] = process.argv.slice(2);
  const isRestore = action === 'restore';
  const options = args.filter((arg) => arg.startsWith('--'));
  const [folder, ...rest] = args.filter((arg) => !arg.startsWith('--'));
  const known = ['--cluster', ...(isRestore ? ['--force'] : [])];
  if (!folder || rest.length > 0 || options.some((option) => !known.includes(option)))
    throw new StartError(usages[isRestore ? 'restore' : 'backup']);
  const installation = await openInstallation(options.includes('--cluster'), isRestore);
  try {
    if (isRestore) await restore(installation, folder, options.includes('--force'));
    else await backup(installation, folder);
  } finally {
    await installation.close();
  }
  process.exit(0);
});
