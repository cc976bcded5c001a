import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const debiansPostgres = '/usr/lib/postgresql';

/** The programs that tests, benchmarks and the chaos run start, with the Debian package of each. */
const packages = {
  'redis-server': 'redis-server',
  'rabbitmq-server': 'rabbitmq-server',
  chromium: 'chromium',
  'chromium-headless-shell': 'chromium-headless-shell',
  // The tool that creates a standby; the embedded PostgreSQL lacks it.
  pg_basebackup: 'postgresql',
  // Checks whether alerts fire when they should.
  promtool: 'prometheus',
} as const;

export type Program = keyof typeof packages;
export const programs = Object.keys(packages) as Program[];

/** Returns the path of a program, or undefined. */
export function findProgram(program: Program): string | undefined {
  // Debian's rabbitmq-server on the PATH switches to its own account and folder; the program behind it does not.
  const behind = program === 'rabbitmq-server' ? ['/usr/lib/rabbitmq/bin'] : [];
  const versions = existsSync(debiansPostgres) ? readdirSync(debiansPostgres) : [];
  const folders = [
    ...behind,
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/bin',
    '/usr/sbin',
    ...versions.map((version) => join(debiansPostgres, version, 'bin')),
  ];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/** Returns the programs that this machine lacks. */
export function missingPrograms(wanted: readonly Program[] = programs): Program[] {
  return wanted.filter((program) => !findProgram(program));
}

/**
 * Installs missing programs from Debian's packages if allowed (as root), and returns those that are still missing. It
 * reports what it does to `say`, in one line.
 */
export async function installPrograms(
  wanted: readonly Program[],
  say: (line: string) => void,
): Promise<Program[]> {
  const missing = missingPrograms(wanted);
  const names = missing.map((program) => packages[program]).join(' ');
  if (missing.length === 0) return [];
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    say(`Missing: ${missing.join(', ')}. On Debian: apt-get install ${names}`);
    return missing;
  }
  say(`Installing ${names} from Debian's packages…`);
  const run = promisify(execFile);
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, maxBuffer: 64 * 1024 * 1024 };
  const patient = ['-qq', '-o', 'DPkg::Lock::Timeout=600'];
  try {
    await run('apt-get', ['update', ...patient], options);
    await run(
      'apt-get',
      ['install', '-y', '--no-install-recommends', ...patient, ...names.split(' ')],
      options,
    );
  } catch (error) {
    say(`apt-get install ${names}: ${(error as { stderr?: string }).stderr?.trim().split('\n').at(-1)}`);
  }
  return missingPrograms(wanted);
}
