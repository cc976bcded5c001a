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
  /** Resolves with the first line that `matches`; fails when the process ends without one. */
  line(matches: (line: Line) => unknown): Promise<Line>;
  /** In order; resolves when the process has ended. */
  stop(): Promise<void>;
  /** As the out-of-memory killer does it. */
  kill(): Promise<void>;
}

const script = fileURLToPath(new URL('hold.ts', import.meta.url));
const holders = new Set<Holder>();

/** A start as a process of its own, see hold.ts. */
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

/** What a test that failed left running. */
export async function stopHolders(): Promise<void> {
  await Promise.all([...holders].map((holder) => holder.stop()));
}
