import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { permissions } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import { apiDocument } from '../api-document.ts';
import { expectStatus, newKey, newPerson, newStore } from '../testing/accounts.ts';
import { createCaller } from '../testing/client.ts';
import { topologies } from './e2e/topologies.ts';
import { isInstalled, run } from './programs.ts';

/** Longer than the slowest generator and compiler need on a busy machine with two cores. */
const limitMs = 1_200_000;
const operations = ['products', 'orders', 'events', 'webhooks'];
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const document = apiDocument();
const jar = process.env.OPENAPI_GENERATOR_JAR ?? '';

interface Generator {
  name: string;
  /** Files and programs on the `PATH` that it needs. */
  needs: readonly string[];
  /** Commands that generate a client from `openapi.json` in the working directory, compile it, and read with it. */
  steps: readonly (readonly string[])[];
  files?: Readonly<Record<string, string>>;
}

const inPascalCase = (name: string) => `${name[0]!.toUpperCase()}${name.slice(1)}`;

const oapiCodegenReader = `package main

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

const openapiPythonClientReader = `import importlib, os
from waybill import AuthenticatedClient
client = AuthenticatedClient(base_url=os.environ['WAYBILL_URL'], token=os.environ['WAYBILL_KEY'])
for name in ${JSON.stringify(operations)}:
    answer = importlib.import_module(f'waybill.api.{name}.list_{name}').sync(client=client)
    print(name, len(getattr(answer, name)))
`;

// These three check their answers against the schemas, so they also read answers reduced by `?fields=`.
const pythonReader = `import importlib, os, pkgutil
import openapi_client
for module in pkgutil.walk_packages(openapi_client.__path__, 'openapi_client.'):
    importlib.import_module(module.name)
configuration = openapi_client.Configuration(host=os.environ['WAYBILL_URL'], access_token=os.environ['WAYBILL_KEY'])
client = openapi_client.ApiClient(configuration)
for name in ${JSON.stringify(operations)}:
    list_all = getattr(getattr(openapi_client, f'{name.capitalize()}Api')(client), f'list_{name}')
    list_all(fields='id')
    print(name, len(getattr(list_all(), name)))
`;

const goReader = `package main

import (
	"context"
	"fmt"
	"os"

	openapi "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Getenv("WAYBILL_URL")}}
	client := openapi.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), openapi.ContextAccessToken, os.Getenv("WAYBILL_KEY"))
${operations
  .map((name) => {
    const type = inPascalCase(name);
    return `	if _, _, err := client.${type}API.List${type}(ctx).Fields("id").Execute(); err != nil {
		panic(fmt.Sprint("${name} by fields: ", err))
	}
	${name}, _, err := client.${type}API.List${type}(ctx).Execute()
	if err != nil {
		panic(fmt.Sprint("${name}: ", err))
	}
	fmt.Println("${name}", len(${name}.Get${type}()))`;
  })
  .join('\n')}
}
`;

/** Returns the arguments of a call in Java, which has no optional parameters: all of them, in the document's order. */
function javaArguments(name: string, values: Readonly<Record<string, string>>): string {
  const { get } = document.paths[`/api/v1/${name}`] as { get: { parameters: { name: string }[] } };
  return get.parameters.map((parameter) => values[parameter.name] ?? 'null').join(', ');
}

const javaReader = `import org.openapitools.client.*;
import org.openapitools.client.api.*;
import org.openapitools.client.auth.HttpBearerAuth;

public class Reader {
    public static void main(String[] args) throws ApiException {
        ApiClient client = Configuration.getDefaultApiClient();
        client.setBasePath(System.getenv("WAYBILL_URL"));
        ((HttpBearerAuth) client.getAuthentication("credential")).setBearerToken(System.getenv("WAYBILL_KEY"));
${operations
  .map((name) => {
    const type = inPascalCase(name);
    const list = `new ${type}Api(client).list${type}`;
    return `        ${list}(${javaArguments(name, { fields: '"id"' })});
        System.out.println("${name} " + ${list}(${javaArguments(name, {})}).get${type}().size());`;
  })
  .join('\n')}
    }
}
`;

const typescriptReader = `import { Configuration, EventsApi, OrdersApi, ProductsApi, WebhooksApi } from './client/index';
declare const process: { env: Record<string, string>; exit(code: number): void };
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
    files: { 'go.mod': 'module example.com/client\n\ngo 1.24\n', 'main.go': oapiCodegenReader },
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
    files: { 'read.py': openapiPythonClientReader },
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
    files: { 'read.py': pythonReader },
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
        ...['--strict', '--skipLibCheck', '--types', '', '--lib', 'es2022,dom', '--target', 'es2022'],
        ...['--module', 'commonjs', '--moduleResolution', 'bundler', '--outDir', 'out', 'read.ts'],
      ],
      [process.execPath, 'out/read.js'],
    ],
  },
  {
    name: 'openapi-generator go',
    needs: ['java', 'go', jar],
    files: { 'reader/main.go': goReader },
    steps: [
      openapiGenerator('go', '.'),
      ['rm', '-r', 'test'],
      ['go', 'mod', 'tidy'],
      ['go', 'run', './reader'],
    ],
  },
  {
    name: 'openapi-generator java',
    needs: ['java', 'mvn', jar],
    files: { 'src/main/java/Reader.java': javaReader },
    steps: [
      openapiGenerator('java', '.'),
      [
        ...['mvn', '-q', '-B', '-Dstyle.color=never', '-Dmaven.test.skip=true', 'compile'],
        ...['org.codehaus.mojo:exec-maven-plugin:3.5.0:java', '-Dexec.mainClass=Reader'],
      ],
    ],
  },
  ...['php', 'csharp'].map((language) => ({
    name: `openapi-generator ${language}`,
    needs: ['java', jar],
    steps: [openapiGenerator(language, '.')],
  })),
];

const hasAll = async ({ needs }: Generator) => !(await Promise.all(needs.map(isInstalled))).includes(false);
const available = await Promise.all(generators.map(hasAll));
const present = generators.filter((_, i) => available[i]);
const missing = generators.filter((_, i) => !available[i]);
if (missing.length > 0)
  console.log(`left out, as their tools are missing: ${missing.map(({ name }) => name).join(', ')}`);

test('every generator with installed tools is tested', () => {
  expect(present.length + missing.length).toBe(generators.length);
});

/**
 * Creates a store with products, an order, a webhook and events of several types. Returns a key that can read all of
 * them.
 */
async function prepareStore(): Promise<{ WAYBILL_URL: string; WAYBILL_KEY: string }> {
  const { baseUrl } = await topologies[0]!.share();
  const owner = await newPerson(baseUrl);
  const storeId = await newStore(owner);
  const { secret } = await newKey(owner, storeId, permissions);
  const call = createCaller(baseUrl, secret);
  const variants = ['GREEN', 'BLACK'].map((sku) => ({ sku, priceCents: 890, stock: 12 }));
  const product = expectStatus(
    await call('POST', '/api/v1/products', { name: 'Tea', status: 'active', variants }),
    201,
  ).body.product;
  const once = { 'idempotency-key': 'order' };
  const customer = { name: 'Ada', email: 'ada@example.com' };
  const items = [{ variantId: product.variants[0].id, quantity: 2 }];
  expectStatus(await call('POST', `/storefront/${storeId}/orders`, { items, customer }, once), 201);
  const webhook = { url: 'https://example.com/calls', events: ['page.published'] };
  expectStatus(await call('POST', '/api/v1/webhooks', webhook), 201);
  const hasEvents = async () => {
    const { body } = await call('GET', '/api/v1/events');
    return new Set(body.events.map(({ type }: { type: string }) => type)).size >= 3;
  };
  await eventually(hasEvents, { what: 'the events of an order' });
  return { WAYBILL_URL: baseUrl, WAYBILL_KEY: secret };
}

let store: Awaited<ReturnType<typeof prepareStore>>;
beforeAll(async () => {
  store = await prepareStore();
});

for (const { name, steps, files = {} } of present) {
  test(
    `${name} makes a client that compiles and reads`,
    async () => {
      const cwd = await mkdtemp(join(tmpdir(), 'waybill-client-'));
      try {
        const served = await fetch(`${store.WAYBILL_URL}/openapi.json`);
        await writeFile(join(cwd, 'openapi.json'), await served.text());
        for (const [path, text] of Object.entries(files)) {
          await mkdir(dirname(join(cwd, path)), { recursive: true });
          await writeFile(join(cwd, path), text);
        }
        const env = { ...process.env, ...store, GOFLAGS: '-mod=mod' };
        let printed = '';
        for (const [program, ...args] of steps) printed = await run(program!, args, { cwd, env });
        if (Object.keys(files).length === 0) return;
        for (const each of operations) expect(printed).toMatch(new RegExp(`^${each} [1-9]`, 'm'));
      } finally {
        await rm(cwd, { recursive: true, force: true });
      }
    },
    limitMs,
  );
}
