import { execFile } from 'node:child_process';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StartError } from '@waybill/kernel';

interface Process {
  pid: number;
  command: string;
}

/**
 * Ends the PostgreSQL that an earlier start left behind when it was killed with SIGKILL, in order if possible. Its
 * processes are found by the cluster name, which is in all their titles.
 */
export async function stopLeftOver(
  data: string,
  clusterName: string,
  log: (line: string) => void,
): Promise<void> {
  const find = () =>
    findProcesses([`cluster_name=${clusterName}`, `postgres: ${clusterName}: `, `${data}.new`]);
  const first = await find();
  if (first.length > 0) {
    log(`Stopping a PostgreSQL that an earlier start left behind (pid ${first[0]!.pid})…`);
    await endAll(first, find);
  }
  await disownPidFile(data);
}

async function endAll(first: Process[], find: () => Promise<Process[]>): Promise<void> {
  let left = first;
  for (const { signal, withinMs } of [
    { signal: 'SIGINT', withinMs: 10_000 },
    { signal: 'SIGQUIT', withinMs: 3_000 },
    { signal: 'SIGKILL', withinMs: 5_000 },
  ] as const) {
    // The first process ends its own children; without it, or as the last resort, each one gets the signal.
    const server = left.filter(({ command }) => !command.startsWith('postgres: '));
    if (server.length === 0 && signal === 'SIGINT') continue;
    for (const { pid } of signal === 'SIGKILL' || server.length === 0 ? left : server) tell(pid, signal);
    for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(20)) {
      left = await find();
      if (left.length === 0) return;
    }
  }
  throw new StartError(
    `A PostgreSQL of an earlier start (pid ${left[0]!.pid}) does not end; end it by hand and start again.`,
  );
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPERM')
      throw new StartError(
        `A PostgreSQL of an earlier start (pid ${pid}) runs under another account; end it first.`,
      );
  }
}

/**
 * Replaces the process id in a dead server's postmaster.pid. It may belong to another program by now, and PostgreSQL
 * would take that for a running server. PostgreSQL ignores its own parent's id, so this process's id is written there.
 * The rest of the file stays, because PostgreSQL uses it to check whether the old server's shared memory is still in
 * use.
 */
async function disownPidFile(data: string): Promise<void> {
  const path = join(data, 'postmaster.pid');
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return;
  // The server was killed between creating the file and filling it.
  if (text === '') return rm(path);
  const changed = text.replace(/^.*/, `${process.pid}`);
  const file = await open(path, 'r+');
  await file.write(changed, 0);
  await file.truncate(changed.length);
  await file.close();
}

/** Returns the PostgreSQL programs whose command line or title contains one of these parts. */
async function findProcesses(parts: readonly string[]): Promise<Process[]> {
  const all = process.platform === 'linux' ? await listLinux() : await listWithPs();
  return all.filter(
    ({ command }) =>
      /(^|\/)(postgres|initdb)[: ]/.test(command) && parts.some((part) => command.includes(part)),
  );
}

async function listLinux(): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    pids.map(async (pid) => ({
      pid: Number(pid),
      // Empty for a process that has ended, even if its parent has not collected it yet.
      command: (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' '),
    })),
  );
}

async function listWithPs(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,command='], {
    maxBuffer: 2 ** 26,
  });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, command] = /^(\d+)\s(.*)$/.exec(line.trim()) ?? [];
    return pid ? [{ pid: Number(pid), command: command! }] : [];
  });
}
