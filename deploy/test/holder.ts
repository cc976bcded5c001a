import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

interface Line {
  log?: string;
  ended?: string;
  error?: string;
  kind?: string;
  ready?: boolean;
  url?: string;
}

export interface Holder {
  lines: Line[];
  /** Resolves to the first line that `matches`; fails if the process ends without one. */
  line(matches: (line: Line) => unknown): Promise<Line>;
  /** Stops the process in order; resolves when it has ended. */
  stop(): Promise<void>;
  /** Kills the process as the out-of-memory killer does. */
  kill(): Promise<void>;
}

const script = fileURLToPath(new URL('hold.ts', import.meta.url));
const holders = new Set<Holder>();

/** Runs a start in a process of its own, see hold.ts. */
export function hold(dataDir: string, only?: 'directory'): Holder {
  const child = spawn(process.execPath, [script, dataDir, ...(only ? [only] : [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const lines: Line[] = [];
  const output = createInterface(child.stdout);
  output.on('line', (line) => lines.push(JSON.parse(line)));
  const holder: Holder = {
    lines,
    async line(matches) {
      for (;;) {
        const found = lines.find(matches);
        if (found) return found;
        const [text] = await Promise.race([once(output, 'line'), closed.then(() => [null])]);
        if (text === null && !lines.find(matches))
          throw new Error(`the holder ended after ${JSON.stringify(lines)}`);
      }
    },
    async stop() {
      child.stdin.end();
      await closed;
      holders.delete(holder);
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
      holders.delete(holder);
    },
  };
  holders.add(holder);
  return holder;
}

/** Stops processes that a failed test left running. */
export async function stopHolders(): Promise<void> {
  await Promise.all([...holders].map((holder) => holder.stop()));
}
