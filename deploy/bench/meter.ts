import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { listChildren } from '../chaos/processes.ts';

/** Length of a tick of the kernel's process clock. */
const msPerTick = 10;

/** Milliseconds of CPU, by process. */
export type ProcessorTime = Record<string, number>;

export interface Meter {
  /** Returns the total so far. */
  read(): Promise<ProcessorTime>;
}

/** Process ids by name; each stands for all processes that it has started, except those with a name of their own. */
export type Measured = Readonly<Record<string, number | null>>;

/**
 * Creates a meter of the CPU time of processes, of those that they have started, and of those that have ended
 * meanwhile.
 */
export function createMeter(measured: Measured): Meter {
  return {
    async read() {
      const spent: ProcessorTime = {};
      const roots = new Set(Object.values(measured));
      for (const [name, pid] of Object.entries(measured))
        if (pid !== null) spent[name] = await treeMs(pid, roots);
      return spent;
    },
  };
}

async function treeMs(pid: number, roots: ReadonlySet<number | null>): Promise<number> {
  const own = await readStat(pid).catch(() => ({ ownMs: 0, childrenMs: 0 }));
  const started = listChildren(pid).filter((child) => !roots.has(child.pid));
  const children = await Promise.all(started.map((child) => treeMs(child.pid, roots)));
  return own.ownMs + own.childrenMs + children.reduce((sum, ms) => sum + ms, 0);
}

/** Returns the time between two readings. */
export const spentBetween = (before: ProcessorTime, after: ProcessorTime): ProcessorTime =>
  Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]));

export const sumSpent = (spent: ProcessorTime): number =>
  Object.values(spent).reduce((sum, each) => sum + each, 0);

/** Returns a process's parent, and the CPU time of the process and of its children that have ended. */
export async function readStat(pid: number): Promise<{ parent: number; ownMs: number; childrenMs: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15) as [
    number,
    number,
    number,
    number,
  ];
  return {
    parent: fields[1]!,
    ownMs: (user + system) * msPerTick,
    childrenMs: (childrenUser + childrenSystem) * msPerTick,
  };
}

/** Returns the process that listens at a port of this machine; null if that is not visible. */
export function listenerAt(port: number): number | null {
  try {
    const text = execFileSync('ss', ['-ltnpH', `sport = :${port}`], { encoding: 'utf8' });
    return Number(/pid=(\d+)/.exec(text)?.[1]) || null;
  } catch {
    return null;
  }
}
