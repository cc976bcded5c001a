import { execFile } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { sampleProduct, sampleVariant } from '@waybill/testing';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

interface RunOptions {
  /** The working folder, which is also the home. */
  folder: string;
  env?: Record<string, string>;
  /** The program and the script that are run, by default the source. */
  program?: readonly [node: string, script: string];
}

/** Runs the command line as a separate process in an empty home. */
export function runCommand(
  args: readonly string[],
  { folder, env = {}, program: [node, script] = [process.execPath, main] }: RunOptions,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const own = {
    XDG_CONFIG_HOME: `${folder}/.config`,
    WAYBILL_URL: '',
    WAYBILL_STORE: '',
    WAYBILL_API_KEY: '',
  };
  return new Promise((resolve) => {
    execFile(
      node,
      [script, ...args],
      { env: { ...process.env, ...own, ...env }, cwd: folder },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

interface ReceivedRequest {
  /** Method and path, without the query. */
  target: string;
  key: string | undefined;
  body: { slug?: string } | null;
}

/** Starts a server that answers as the test tells it and records the requests. */
export async function startFakeApi(answer: (request: ReceivedRequest) => [status: number, body: object]) {
  const seen: ReceivedRequest[] = [];
  const server = http.createServer(async (req, res) => {
    const text = await readAll(req);
    const request = {
      target: `${req.method} ${req.url!.split('?')[0]}`,
      key: req.headers.authorization?.replace('Bearer ', ''),
      body: text === '' ? null : JSON.parse(text),
    };
    seen.push(request);
    const [status, body] = answer(request);
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A product that every store has. */
const earlGrey = {
  ...sampleProduct,
  id: 'prd_1',
  slug: 'earl-grey',
  name: 'Earl Grey',
  description: '',
  status: 'active',
  tags: [],
  variants: [{ ...sampleVariant, id: 'var_1', name: '', sku: 'EG-100', priceCents: 890, stock: 12 }],
};

/** Answers for the store of each key: `wbk_a` belongs to `str_a`. */
export function answerForStore({ target, key }: ReceivedRequest): [status: number, body: object] {
  if (target === 'GET /api/v1/store')
    return [200, { store: { id: key?.replace('wbk', 'str'), currency: 'EUR' } }];
  if (target === 'GET /api/v1/custom-fields') return [200, { customFields: [], nextCursor: null }];
  if (target === 'GET /api/v1/products') return [200, { products: [earlGrey], nextCursor: null }];
  if (target === 'POST /api/v1/products') return [201, { product: {} }];
  return [404, { error: `No ${target}`, code: 'not_found' }];
}
