import { execFileSync, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

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

/** Timestamp and signature of each call, and whether it is genuine. */
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
  // By a large margin, because some of these languages are compiled meanwhile.
  ['of the future', ...(signed(new Date(now.getTime() + 3_600_000)) as [string, string]), false],
];
/** Returns a string literal that is valid in all of these languages. */
const literal = (text: string | null) => JSON.stringify(text);
const cases = calls.map(([, timestamp, given]) => [timestamp, given] as const);
/** Returns the cases in the syntax of a language. */
const listed = (one: (timestamp: string, given: string) => string, none: string | null = null) =>
  cases.map(([timestamp, given]) => one(literal(timestamp ?? none), literal(given ?? none))).join(', ');

interface Language {
  /** The command that shows whether the language is installed. */
  has: string[];
  files(snippet: string): Record<string, string>;
  /** The commands that run one after the other, in the folder of the files. */
  run: string[][];
}

const languages: Record<string, Language> = {
  js: {
    has: [process.execPath, '--version'],
    files: (snippet) => ({
      'verify.mjs': `${snippet}
for (const [t, s] of ${JSON.stringify(cases)})
  console.log(verify(${literal(secret)}, t ?? undefined, s ?? undefined, Buffer.from(${literal(body)})));`,
    }),
    run: [[process.execPath, 'verify.mjs']],
  },
  python: {
    has: ['python3', '--version'],
    files: (snippet) => ({
      'verify.py': `${snippet}
import json
for t, s in json.loads(${literal(JSON.stringify(cases))}):
    print(str(verify(${literal(secret)}, t, s, ${literal(body)}.encode())).lower())`,
    }),
    run: [['python3', 'verify.py']],
  },
  // A missing header is an empty text here.
  go: {
    has: ['go', 'version'],
    files: (snippet) => ({
      'go.mod': 'module example\n\ngo 1.21\n',
      'webhook/verify.go': snippet,
      'main.go': `package main

import (
	"example/webhook"
	"fmt"
)

func main() {
	for _, c := range [][2]string{${listed((t, s) => `{${t}, ${s}}`, '')}} {
		fmt.Println(webhook.Verify(${literal(secret)}, c[0], c[1], []byte(${literal(body)})))
	}
}`,
    }),
    run: [
      ['go', 'vet', './...'],
      ['go', 'run', '.'],
    ],
  },
  java: {
    has: ['javac', '-version'],
    files: (snippet) => ({
      'Webhook.java': snippet,
      'Main.java': `import java.nio.charset.StandardCharsets;

class Main {
    public static void main(String[] args) throws Exception {
        String[][] cases = {${listed((t, s) => `{${t}, ${s}}`)}};
        byte[] body = ${literal(body)}.getBytes(StandardCharsets.UTF_8);
        for (String[] c : cases) System.out.println(Webhook.verify(${literal(secret)}, c[0], c[1], body));
    }
}`,
    }),
    run: [
      ['javac', '-Xlint:all', '-Werror', '-encoding', 'UTF-8', 'Webhook.java', 'Main.java'],
      ['java', '-cp', '.', 'Main'],
    ],
  },
  php: {
    has: ['php', '--version'],
    files: (snippet) => ({
      'verify.php': `<?php
${snippet}
foreach (json_decode(${literal(JSON.stringify(cases))}) as [$t, $s])
    echo verify(${literal(secret)}, $t, $s, json_decode(${literal(literal(body))})) ? "true\\n" : "false\\n";`,
    }),
    run: [['php', 'verify.php']],
  },
};

test.each(
  Object.entries(languages).filter(
    ([
      ,
      {
        has: [command, ...args],
      },
    ]) => spawnSync(command!, args).status === 0,
  ),
)(
  'what the guide says in %s takes genuine calls and no others, and lives through all of them',
  (language, { files, run }) => {
    const folder = mkdtempSync(join(tmpdir(), 'waybill-verify-'));
    for (const [path, text] of Object.entries(files(snippet(language)))) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${text}\n`);
    }
    const outputs = run.map(([command, ...args]) =>
      execFileSync(command!, args, { cwd: folder, encoding: 'utf8' }),
    );
    rmSync(folder, { recursive: true });
    const said = outputs.at(-1)!.trim().split('\n');
    expect(calls.map(([name], i) => `${name}: ${said[i]}`)).toEqual(
      calls.map(([name, , , isGenuine]) => `${name}: ${isGenuine}`),
    );
  },
  120_000,
);
