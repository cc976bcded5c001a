import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { missingPrograms } from '../servers/programs.ts';

const main = fileURLToPath(new URL('../chaos/main.ts', import.meta.url));
const missing = missingPrograms(['redis-server', 'rabbitmq-server']);

/** Whether the run's servers are installed. If not, one line says that the run is skipped; in CI that is an error. */
function canRun(): boolean {
  if (missing.length === 0) return true;
  const message = `${missing.join(' and ')} not installed: the chaos run is left out`;
  if (process.env.CI === 'true') throw new Error(message);
  process.stderr.write(`${message}\n`);
  return false;
}

async function chaos(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], ...output] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, output: output.join('\n') };
}

(canRun() ? describe : describe.skip)('npm run chaos', () => {
  test('a short run loses nothing', async () => {
    const bounds = ['--kills', '5', '--seconds', '12', '--events', '250'];
    const { code, output } = await chaos(...bounds, '--seed', '130');
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/violations +0\n/) });
  }, 600_000);

  test('a missing confirm is detected', async () => {
    const bounds = ['--kills', '0', '--seconds', '5'];
    const { code, output } = await chaos(...bounds, '--seed', '1', '--plant', 'lost-confirm');
    expect(output).toMatch(/VIOLATION .*0 events instead of 1/);
    expect(code).toBe(1);
  });
});
