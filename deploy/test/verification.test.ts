import { execFileSync, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const guide = readFileSync(new URL('../../services/gateway/guides/06-webhooks.md', import.meta.url), 'utf8');
const snippet = (language: string) => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(guide)![1]!;

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const body = '{"type":"order.created","data":"é😀"}';
const signed = (at: Date, text = body, key = secret) => [
  at.toISOString(),
  `sha256=${createHmac('sha256', key)
    .update(`${Math.floor(at.getTime() / 1000)}.${text}`)
    .digest('hex')}`,
];
const now = new Date();
const [at, signature] = signed(now) as [string, string];

/** Timestamp and signature as they come, and whether that call is genuine. */
const calls: [name: string, timestamp: string | null, signature: string | null, isGenuine: boolean][] = [
  ['genuine', at, signature, true],
  ['unsigned', at, null, false],
  ['without a time', null, signature, false],
  ['with a short signature', at, signature.slice(0, 20), false],
  ['with garbage for a signature', at, 'ÿ{"', false],
  ['with garbage for a time', 'yesterday', signature, false],
  ['signed with another secret', ...(signed(now, body, 'whsec_other') as [string, string]), false],
  ['of another body', ...(signed(now, `${body} `) as [string, string]), false],
  ['that is old', ...(signed(new Date(now.getTime() - 301_000)) as [string, string]), false],
  ['of the future', ...(signed(new Date(now.getTime() + 310_000)) as [string, string]), false],
];
const cases = JSON.stringify(calls.map(([, timestamp, given]) => [timestamp, given]));

const harnesses = {
  js: {
    command: process.execPath,
    file: 'verify.mjs',
    end: `for (const [t, s] of ${cases}) console.log(verify(${JSON.stringify(secret)}, t ?? undefined, s ?? undefined, Buffer.from(${JSON.stringify(body)})));`,
  },
  python: {
    command: 'python3',
    file: 'verify.py',
    end: `import json\nfor t, s in json.loads(${JSON.stringify(cases)}):\n    print(str(verify(${JSON.stringify(secret)}, t, s, json.loads(${JSON.stringify(JSON.stringify(body))}).encode())).lower())`,
  },
};
const has = (command: string) => spawnSync(command, ['--version']).status === 0;

test.each(Object.entries(harnesses).filter(([, { command }]) => has(command)))(
  'what the guide says in %s takes genuine calls and no others, and lives through all of them',
  (language, { command, file, end }) => {
    const folder = mkdtempSync(join(tmpdir(), 'waybill-verify-'));
    writeFileSync(join(folder, file), `${snippet(language)}\n${end}\n`);
    const said = execFileSync(command, [join(folder, file)], { encoding: 'utf8' })
      .trim()
      .split('\n');
    rmSync(folder, { recursive: true });
    expect(calls.map(([name], i) => `${name}: ${said[i]}`)).toEqual(
      calls.map(([name, , , isGenuine]) => `${name}: ${isGenuine}`),
    );
  },
);
