import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { childrenOf } from '../chaos/processes.ts';

/** A tick of the kernel's clock of processes. */
const msPerTick = 10;

/** Milliseconds of processors, by who spent them. */
export type ProcessorTime = Record<string, number>;

export interface Meter {
  /** Everything that was spent so far. */
  read(): Promise<ProcessorTime>;
}

/** What is measured: process ids by a name, each with all processes that it has started and that have no name of their own. */
export type Measured = Readonly<Record<string, number | null>>;

/** Measures the processors' time of processes, of those that they have started, and of those that have ended meanwhile. */
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
  const own = await statOf(pid).catch(() => ({ ownMs: 0, childrenMs: 0 }));
  const started = childrenOf(pid).filter((child) => !roots.has(child.pid));
  const children = await Promise.all(started.map((child) => treeMs(child.pid, roots)));
  return own.ownMs + own.childrenMs + children.reduce((sum, ms) => sum + ms, 0);
}

/** What was spent between two readings. */
export const spentBetween = (before: ProcessorTime, after: ProcessorTime): ProcessorTime =>
  Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]));

export const sumOf = (spent: ProcessorTime): number =>
  Object.values(spent).reduce((sum, each) => sum + each, 0);

/** A process's parent, and the processor's time that it and its children that have ended have spent. */
export async function statOf(pid: number): Promise<{ parent: number; ownMs: number; childrenMs: number }> {
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

/** The process that listens at a port of this machine; null where that cannot be seen. */
export function listenerAt(port: number): number | null {
  try {
    const text = execFileSync('ss', ['-ltnpH', `sport = :${port}`], { encoding: 'utf8' });
    return Number(/pid=(\d+)/.exec(text)?.[1]) || null;
  } catch {
    return null;
  }
}
