import { type SpawnOptions, spawnSync } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';
import { StartError } from '@waybill/kernel';

/** How to start PostgreSQL's programs: the command before their name, and the account. */
export interface RunAs {
  prefix: string[];
  options: Pick<SpawnOptions, 'uid' | 'gid'>;
  /** Makes the account the owner of a path. */
  own(path: string): void;
}

interface Account {
  uid: number;
  gid: number;
}

// With util-linux, the kernel ends the started program when this process ends, also by SIGKILL.
const dieWithParent = ['setpriv', '--pdeathsig', 'INT'];
// Lets the account pass directories that are closed to it (a checkout below /root), without changing any modes. Without
// no_setuid_fixup, access(2), by which PostgreSQL finds its own programs, would ignore the capability.
const passAnywhere = [
  '--inh-caps=+dac_override',
  '--ambient-caps=+dac_override',
  '--securebits=+no_setuid_fixup',
];

/**
 * Finds the way to run `program` on files below `directory`. PostgreSQL refuses to run as root, so root uses the
 * account that already owns `data`, or else an unprivileged one of this machine.
 */
export function findRunAs(program: string, directory: string, data: string): RunAs {
  const account = process.getuid?.() === 0 ? unprivilegedAccount(data) : undefined;
  const drop = account ? ['--reuid', `${account.uid}`, '--regid', `${account.gid}`, '--clear-groups'] : [];
  const candidates: RunAs[] = [
    { prefix: [...dieWithParent, ...drop], options: {} },
    { prefix: [...dieWithParent, ...drop, ...passAnywhere], options: {} },
    { prefix: [], options: { ...account } },
  ].map((candidate) => ({
    ...candidate,
    own: (path) => account && chownSync(path, account.uid, account.gid),
  }));
  const found = candidates.find(({ prefix, options }) => {
    const [command, ...args] = [...prefix, 'test', '-x', program, '-a', '-x', directory];
    return spawnSync(command!, args, { ...options, cwd: '/', stdio: 'ignore' }).status === 0;
  });
  if (found) return found;
  throw new StartError(
    `PostgreSQL must not run as root, and the account with uid ${account?.uid} has no access to ${directory} or ${program}; ` +
      'start as an ordinary user, or set WAYBILL_DATA_DIR and the checkout where every user may pass.',
  );
}

function unprivilegedAccount(data: string): Account {
  const owner = statSync(data, { throwIfNoEntry: false });
  if (owner?.uid) return owner;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new StartError(
    'PostgreSQL must not run as root, and there is no account "postgres" or "nobody" here.',
  );
}
