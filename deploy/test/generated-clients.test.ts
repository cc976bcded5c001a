import { execFile } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { topologies } from './e2e/topologies.ts';

/** Longer than the slowest generator and compiler need on a busy machine of two cores. */
const limitMs = 1_200_000;
const operations = ['products', 'orders', 'events', 'webhooks'];
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const jar = process.env.OPENAPI_GENERATOR_JAR ?? '';

interface Generator {
  name: string;
  /** Programs on the `PATH` that it needs, and files. */
  needs: readonly string[];
  /** Generates a client of `openapi.json` in the working directory, compiles it, and reads with it. */
  steps: readonly (readonly [program: string, ...args: string[]])[];
  files?: Readonly<Record<string, string>>;
}

const inPascalCase = (name: string) => `${name[0]!.toUpperCase()}${name.slice(1)}`;

const goReader = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example.com/client/waybill"
)

func main() {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("WAYBILL_KEY"))
		return nil
	}
	client, err := waybill.NewClientWithResponses(os.Getenv("WAYBILL_URL"), waybill.WithRequestEditorFn(authorize))
	if err != nil {
		panic(err)
	}
${operations
  .map((name) => {
    const type = inPascalCase(name);
    return `	${name}, err := client.List${type}WithResponse(context.Background(), &waybill.List${type}Params{})
	if err != nil || ${name}.JSON200 == nil {
		panic(fmt.Sprint("${name}: ", err))
	}
	fmt.Println("${name}", len(${name}.JSON200.${type}))`;
  })
  .join('\n')}
}
`;

const pythonReader = `import importlib, os
from waybill import AuthenticatedClient
client = AuthenticatedClient(base_url=os.environ['WAYBILL_URL'], token=os.environ['WAYBILL_KEY'])
for name in ${JSON.stringify(operations)}:
    answer = importlib.import_module(f'waybill.api.{name}.list_{name}').sync(client=client)
    print(name, len(getattr(answer, name)))
`;

const generatedPythonReader = `import importlib, os, pkgutil
import openapi_client
for module in pkgutil.walk_packages(openapi_client.__path__, 'openapi_client.'):
    importlib.import_module(module.name)
configuration = openapi_client.Configuration(host=os.environ['WAYBILL_URL'], access_token=os.environ['WAYBILL_KEY'])
client = openapi_client.ApiClient(configuration)
for name in ${JSON.stringify(operations)}:
    api = getattr(openapi_client, f'{name.capitalize()}Api')(client)
    print(name, len(getattr(getattr(api, f'list_{name}')(), name)))
`;

const typescriptReader = `import { Configuration, EventsApi, OrdersApi, ProductsApi, WebhooksApi } from './client/index';
declare const process: { env: Record<string, string> };
const { WAYBILL_URL: basePath, WAYBILL_KEY: accessToken } = process.env;
const configuration = new Configuration({ basePath, accessToken });
async function read() {
${operations
  .map(
    (name) =>
      `  console.log('${name}', (await new ${inPascalCase(name)}Api(configuration).list${inPascalCase(name)}()).${name}.length);`,
  )
  .join('\n')}
}
read();
`;

const openapiGenerator = (language: string, out: string) =>
  ['java', '-jar', jar, 'generate', '-i', 'openapi.json', '-g', language, '-o', out] as const;

const generators: readonly Generator[] = [
  {
    name: 'oapi-codegen',
    needs: ['oapi-codegen', 'go'],
    files: { 'go.mod': 'module example.com/client\n\ngo 1.24\n', 'main.go': goReader },
    steps: [
      ['mkdir', 'waybill'],
      [
        'oapi-codegen',
        ...['-generate', 'types,client', '-package', 'waybill', '-o', 'waybill/client.go', 'openapi.json'],
      ],
      ['go', 'mod', 'tidy'],
      ['go', 'run', '.'],
    ],
  },
  {
    name: 'openapi-python-client',
    needs: ['openapi-python-client', 'python3'],
    files: { 'read.py': pythonReader },
    steps: [
      [
        'openapi-python-client',
        ...['generate', '--path', 'openapi.json', '--output-path', 'waybill', '--meta', 'none'],
      ],
      ['python3', 'read.py'],
    ],
  },
  {
    name: 'openapi-generator python',
    needs: ['java', 'python3', jar],
    files: { 'read.py': generatedPythonReader },
    steps: [openapiGenerator('python', '.'), ['python3', 'read.py']],
  },
  {
    name: 'openapi-generator typescript-fetch',
    needs: ['java', jar],
    files: { 'read.ts': typescriptReader },
    steps: [
      openapiGenerator('typescript-fetch', 'client'),
      [
        process.execPath,
        tsc,
        ...['--strict', '--skipLibCheck', '--outDir', 'out', '--target', 'es2022', '--module', 'commonjs'],
        ...[
          '--moduleResolution',
          'node10',
          '--ignoreDeprecations',
          '6.0',
          '--lib',
          'es2022,dom',
          '--types',
          '',
        ],
        'read.ts',
      ],
      [process.execPath, 'out/read.js'],
    ],
  },
  {
    name: 'openapi-generator go',
    needs: ['java', 'go', jar],
    steps: [
      openapiGenerator('go', '.'),
      ['rm', '-r', 'test'],
      ['go', 'mod', 'tidy'],
      ['go', 'build', './...'],
    ],
  },
  {
    name: 'openapi-generator java',
    needs: ['java', 'mvn', jar],
    steps: [openapiGenerator('java', '.'), ['mvn', '-q', '-B', '-Dmaven.test.skip=true', 'compile']],
  },
  ...['php', 'csharp'].map((language) => ({
    name: `openapi-generator ${language}`,
    needs: ['java', jar],
    steps: [openapiGenerator(language, '.')],
  })),
];

async function isThere(program: string): Promise<boolean> {
  if (program === '') return false;
  const paths = program.includes('/')
    ? [program]
    : (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program));
  const mode = program.includes('/') ? constants.R_OK : constants.X_OK;
  const found = await Promise.all(
    paths.map((path) =>
      access(path, mode).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

const hasAll = async ({ needs }: Generator) => !(await Promise.all(needs.map(isThere))).includes(false);
const available = await Promise.all(generators.map(hasAll));
const present = generators.filter((_, i) => available[i]);
const missing = generators.filter((_, i) => !available[i]);
if (missing.length > 0)
  console.log(`left out, as their tools are missing: ${missing.map(({ name }) => name).join(', ')}`);

test('every generator is tried whose tools are there', () => {
  expect(present.length + missing.length).toBe(generators.length);
});

for (const { name, steps, files = {} } of present) {
  test(
    `${name} makes a client that compiles and reads`,
    async () => {
      const system = await topologies[0]!.share();
      const cwd = await mkdtemp(join(tmpdir(), 'waybill-client-'));
      try {
        await mkdir(cwd, { recursive: true });
        await writeFile(
          join(cwd, 'openapi.json'),
          await (await fetch(`${system.baseUrl}/openapi.json`)).text(),
        );
        for (const [path, text] of Object.entries(files)) await writeFile(join(cwd, path), text);
        const env = { ...process.env, WAYBILL_URL: system.baseUrl, WAYBILL_KEY: system.demo.apiKey };
        let printed = '';
        for (const [program, ...args] of steps) {
          const options = { cwd, env: { ...env, GOFLAGS: '-mod=mod' }, maxBuffer: 2 ** 28 };
          printed = (await promisify(execFile)(program, args, options)).stdout;
        }
        const reads = Object.keys(files).some((path) => /read|main/.test(path));
        if (reads) for (const each of operations) expect(printed).toMatch(new RegExp(`^${each} \\d+$`, 'm'));
      } finally {
        await rm(cwd, { recursive: true, force: true });
      }
    },
    limitMs,
  );
}
