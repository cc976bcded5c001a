import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Step } from './raw.ts';

export interface Attack {
  name: string;
  data: Step;
  /** Set if a success is also allowed, because nothing in the request is wrong by the API's lenient rules. */
  maySucceed?: true;
  /** Set if the request breaks off by itself, so that no answer may come. */
  breaksOff?: true;
}

/** A route of the API: its method, its path with ids filled in, and its credential. */
export interface Target {
  method: string;
  path: string;
  bearer?: string;
  takesBody?: true;
}

interface Request {
  headers?: readonly string[];
  body?: string | Buffer;
}

/** Returns a request's bytes, with the usual headers for its body unless `headers` overrides them. */
function bytes({ method, path, bearer }: Target, { headers = [], body }: Request = {}): Buffer {
  const names = headers.map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
  const usual = [
    'Host: waybill',
    'Connection: close',
    ...(bearer ? [`Authorization: Bearer ${bearer}`] : []),
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ].filter((line) => !names.includes(line.slice(0, line.indexOf(':')).toLowerCase()));
  const head = [`${method} ${path} HTTP/1.1`, ...usual, ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body ?? '')]);
}

const deep = 100_000;

/** A body with every known field, each with values of a wrong type. */
const wrongTypes = (value: unknown) =>
  JSON.stringify(
    Object.fromEntries(
      [
        'name',
        'slug',
        'status',
        'description',
        'tags',
        'mediaIds',
        'variants',
        'url',
        'events',
        'email',
        'password',
        'refreshToken',
        'role',
        'scopes',
        'currency',
      ].map((field) => [field, value]),
    ),
  );

const hostileBodies: Record<string, string | Buffer> = {
  nothing: '',
  'half an object': '{"name":',
  'a trailing comma': '{"name":"x",}',
  'single quotes': "{'name':'x'}",
  'a byte order mark': '\ufeff{"name":"x"}',
  null: 'null',
  'an array': '[{"name":"x"}]',
  'a text': '"name"',
  'a number': '1e999',
  'two objects': '{}{}',
  'arrays 100,000 deep': `{"name":${'['.repeat(deep)}${']'.repeat(deep)}}`,
  'objects 100,000 deep': `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`,
  'arrays that never close': '['.repeat(deep),
  'a NUL': '{"name":"a\\u0000b"}',
  'a bare NUL': '{"name":"a\u0000b"}',
  "a NUL in a member's name": '{"a\\u0000b":1}',
  'half a surrogate pair': '{"name":"\\ud800"}',
  "the other half, in a member's name": '{"\\udc00":1}',
  'no UTF-8': Buffer.from([...Buffer.from('{"name":"'), 0xc3, 0x28, 0xff, ...Buffer.from('"}')]),
  'an overlong slash': Buffer.from([...Buffer.from('{"name":"'), 0xc0, 0xaf, ...Buffer.from('"}')]),
  'a polluted prototype': '{"__proto__":{"name":"x","email":"a@b.cc"},"constructor":{"prototype":{"a":1}}}',
  'objects for values': wrongTypes({ __proto__: null, toString: 1, constructor: { name: 'x' } }),
  'arrays for values': wrongTypes([[], {}, null, 1, 'x']),
  'nulls for values': wrongTypes(null),
  'huge numbers for values': wrongTypes(1).replaceAll(':1', ':1e308'),
  'booleans for values': wrongTypes(true),
  'long texts for values': wrongTypes('x'.repeat(60_000)),
  '100,000 values': wrongTypes(Array.from({ length: 6000 }, () => ({}))),
  '100,000 members': `{${Array.from({ length: deep }, (_, i) => `"k${i}":1`).join()},"name":7}`,
  'the same member over and over': `{${'"name":"x",'.repeat(50_000)}"name":7}`,
  'more than fits': JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) }),
};

/** RFC 8259 lets a server ignore the first; if no field is required, the second has no effect. */
const harmless = ['a byte order mark', 'a polluted prototype'];

const wellFormed = '{"name":7}';
const compressed = gzipSync(wellFormed);
const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, 0x20));

const hostileHeaders: Record<string, Request> = {
  'no content type': { headers: ['Content-Type:'], body: wellFormed },
  'a text': { headers: ['Content-Type: text/plain'], body: wellFormed },
  'a form': { headers: ['Content-Type: application/x-www-form-urlencoded'], body: 'name=x' },
  'a multipart form': {
    headers: ['Content-Type: multipart/form-data; boundary=x'],
    body: '--x\r\n\r\n--x--',
  },
  'UTF-16': {
    headers: ['Content-Type: application/json; charset=utf-16'],
    body: Buffer.from(wellFormed, 'utf16le'),
  },
  'two types': { headers: ['Content-Type: application/json, text/plain'], body: wellFormed },
  'a type ten thousand letters long': { headers: [`Content-Type: ${'a'.repeat(10_000)}`], body: wellFormed },
  gzip: { headers: ['Content-Encoding: gzip'], body: compressed },
  'a gzip bomb': { headers: ['Content-Encoding: gzip'], body: bomb },
  'gzip that is none': { headers: ['Content-Encoding: gzip'], body: wellFormed },
  'an encoding of nobody': { headers: ['Content-Encoding: x, y, br'], body: wellFormed },
  'an oversized body without a length': {
    headers: ['Transfer-Encoding: chunked', 'Content-Type: application/json'],
    body: undefined,
  },
};

const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;

/** Returns attacks by bodies, on a route that takes one. */
function bodyAttacks(target: Target): Attack[] {
  const where = `${target.method} ${target.path}`;
  return [
    ...Object.entries(hostileBodies).map(([name, body]) => ({
      name: `${where} with ${name}`,
      data: bytes(target, { body }),
      ...(harmless.includes(name) && { maySucceed: true as const }),
    })),
    ...Object.entries(hostileHeaders).map(([name, request]) => {
      const data = bytes(target, request);
      const isChunked = request.body === undefined;
      return {
        name: `${where} with ${name}`,
        data: isChunked
          ? Buffer.concat([data, Buffer.from(chunk.repeat(40)), Buffer.from('0\r\n\r\n')])
          : data,
      };
    }),
  ];
}

const hostileSegments = [
  '%',
  '%zz',
  '%c3%28',
  '%00',
  '%ff%fe',
  '%ed%a0%80',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%5c..%5c',
  '__proto__',
  'constructor',
  'toString',
  "'%20or%20'1'='1",
  'x'.repeat(8000),
  'prd_0000000000000000000000000u',
  '\u00e9\u00ff',
  ';a=b',
];

/** Returns attacks by ids, in a route's path after its last slash. */
function pathAttacks(target: Target): Attack[] {
  const parent = target.path.slice(0, target.path.lastIndexOf('/'));
  return hostileSegments.map((segment) => {
    const path = `${parent}/${segment}`;
    return { name: `${target.method} ${path.slice(0, 80)}`, data: bytes({ ...target, path }) };
  });
}

const hostileQueries = [
  'q=%',
  'q=%00',
  'q=%c3%28',
  'q=%ed%a0%80',
  `q=${'x'.repeat(8000)}`,
  `q=${'%20a'.repeat(2000)}`,
  `q=${'%25'.repeat(2000)}`,
  'q=%5c&q=a&q[]=b&q[a]=c',
  '__proto__=1&constructor=1&__proto__[limit]=5',
  'limit=NaN&offset=Infinity',
  'limit=-1&offset=-9999999999999999999999',
  'limit=1e3&offset=0x10',
  'offset=999999999999999',
  'limit=99999999999999999999999',
  "sort=name;drop%20table%20product&dir='",
  'status[]=draft&sort[]=name&dir=%00',
  `${'a=b&'.repeat(3000)}`,
  '&&&===?????%26',
];

/** Returns odd queries, which lists answer by their lenient rules. */
function queryAttacks(target: Target): Attack[] {
  return hostileQueries.map((query) => {
    const path = `${target.path}?${query}`;
    return {
      name: `${target.method} ${path.slice(0, 80)}`,
      data: bytes({ ...target, path }),
      maySucceed: true,
    };
  });
}

const hostileBearers = [
  'x'.repeat(12_000),
  '\u0000',
  'wbk_\u00e9',
  'wbk_%00',
  'a.b.c',
  'eyJhbGciOiJub25lIn0.e30.',
  'e30.e30.e30',
  `${'a'.repeat(4000)}.${'b'.repeat(4000)}.c`,
  '__proto__',
];

function bearerAttacks(target: Target): Attack[] {
  return hostileBearers.map((bearer) => ({
    name: `${target.method} ${target.path} as ${JSON.stringify(bearer.slice(0, 30))}`,
    data: bytes({ ...target, bearer }),
  }));
}

/** Returns requests that are not quite HTTP, or that have two meanings at once. */
function protocolAttacks({ path, bearer }: Target): Attack[] {
  const authorization = `Authorization: Bearer ${bearer}`;
  const post = (lines: string[], rest = '') =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: waybill',
      authorization,
      'Content-Type: application/json',
      ...lines,
      '',
      rest,
    ].join('\r\n');
  const get = (...lines: string[]) =>
    ['GET /healthz HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n');
  const smuggled = `DELETE ${path}/prd_00000000000000000000000000 HTTP/1.1\r\nHost: waybill\r\n\r\n`;
  const hello = Buffer.from('16030100c8010000c40303', 'hex');
  const requests: Record<string, string | Buffer> = {
    'bytes of chance': Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 7919) % 256)),
    'a TLS hello': Buffer.concat([hello, Buffer.alloc(200)]),
    'an HTTP/2 preface': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'an SSH greeting': 'SSH-2.0-OpenSSH_9.6\r\n\r\n',
    'no version': 'GET /healthz\r\n\r\n',
    'a version to come': 'GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n',
    'a method in lower case': 'get /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    'a method of nobody': 'BREW /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    'a target with a space': 'GET /api/v1/a b HTTP/1.1\r\nHost: x\r\n\r\n',
    'a target with a NUL': 'GET /api/v1/\0 HTTP/1.1\r\nHost: x\r\n\r\n',
    'no target': 'GET  HTTP/1.1\r\nHost: x\r\n\r\n',
    'an asterisk': 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'no host': 'GET /nothing HTTP/1.1\r\nConnection: close\r\n\r\n',
    'two hosts': get('Host: a', 'Host: b'),
    'one host twice': get('Host: a', 'Host: a'),
    'a host with a path': get('Host: a/b?c#d'),
    'a host with a user': get('Host: a@b'),
    'a host of nothing': get('Host:'),
    'a header without a colon': get('Host: x', 'nonsense'),
    'a space before the colon': get('Host: x', 'Content-Length : 0'),
    'a folded header': get('Host: x', 'X-A: b', '  folded'),
    'a NUL in a header': get('Host: x', 'X-A: \0'),
    'a header of 20 KB': get('Host: x', `X-A: ${'a'.repeat(20_000)}`),
    '3,000 headers': get('Host: x', ...Array.from({ length: 3000 }, (_, i) => `A${i}: b`)),
    'two lengths': post(['Content-Length: 5', 'Content-Length: 6'], '{"a":1}'),
    'a negative length': post(['Content-Length: -1'], '{}'),
    'a length with a sign': post(['Content-Length: +2'], '{}'),
    'a length beyond counting': post([`Content-Length: ${'9'.repeat(30)}`], '{}'),
    'a length in hex': post(['Content-Length: 0x2'], '{}'),
    'a length and chunks': post(['Content-Length: 6', 'Transfer-Encoding: chunked'], `0\r\n\r\n${smuggled}`),
    'chunks and a length': post(['Transfer-Encoding: chunked', 'Content-Length: 6'], `0\r\n\r\n${smuggled}`),
    'chunks twice over': post(
      ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
      `0\r\n\r\n${smuggled}`,
    ),
    'chunks of a kind': post(['Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggled}`),
    'chunks, not at the end': post(['Transfer-Encoding: chunked, gzip'], `0\r\n\r\n${smuggled}`),
    'chunks behind a tab': post(['Transfer-Encoding:\tchunked', 'Content-Length: 6'], `0\r\n\r\n${smuggled}`),
    'a chunk of a negative size': post(['Transfer-Encoding: chunked'], '-1\r\n{}\r\n0\r\n\r\n'),
    'a chunk beyond counting': post(['Transfer-Encoding: chunked'], `${'f'.repeat(20)}\r\n{}\r\n0\r\n\r\n`),
    'a chunk with an endless extension': post(
      ['Transfer-Encoding: chunked'],
      `2;${'a'.repeat(30_000)}\r\n{}\r\n0\r\n\r\n`,
    ),
    'lines that end in LF': `POST ${path} HTTP/1.1\nHost: x\nContent-Length: 0\n\n`,
    'a wish that nobody grants': post(['Expect: miracles', 'Connection: close', 'Content-Length: 2'], '{}'),
    'a change to WebSocket': post(['Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 2'], '{}'),
    'a tunnel': 'CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: x\r\n\r\n',
    'an echo': `TRACE ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    'another scheme': 'GET ftp://waybill/api/v1/products HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'two authorizations': `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n${authorization}\r\nConnection: close\r\n\r\n`,
    'a body on GET': `GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
  };
  return Object.entries(requests).map(([name, data]) => ({
    name,
    data,
    ...(name === 'no version' && { maySucceed: true as const }),
  }));
}

/** Returns requests that stop before they are complete. */
function brokenOff({ path, bearer }: Target): Attack[] {
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\nContent-Type: application/json\r\n`;
  const parts: Record<string, Step> = {
    'a connection that says nothing': '',
    'half a request line': 'GET /api/v1/prod',
    'half its headers': head,
    'half its body': `${head}Content-Length: 100\r\n\r\n{"name":`,
    'half a chunk': `${head}Transfer-Encoding: chunked\r\n\r\n50\r\n{"name":`,
    'a body in drops': async (write) => {
      write(`${head}Content-Length: 1000\r\n\r\n`);
      for (let i = 0; i < 10; i++) {
        write(' ');
        await sleep(20);
      }
    },
    'headers in drops': async (write) => {
      write(head);
      for (let i = 0; i < 10; i++) {
        write(`X-${i}: y\r\n`);
        await sleep(20);
      }
    },
  };
  return Object.entries(parts).flatMap(([name, data]) =>
    Array.from({ length: 5 }, () => ({ name: `${name}, broken off`, data, breaksOff: true as const })),
  );
}

/** Returns all attacks, on every kind of route. */
export function attacksOn(targets: readonly Target[]): Attack[] {
  const onV1 = targets.find(({ path, takesBody }) => takesBody && path === '/api/v1/products')!;
  return [
    ...targets.filter(({ takesBody }) => takesBody).flatMap(bodyAttacks),
    ...targets.filter(({ path }) => path.split('/').length > 2).flatMap(pathAttacks),
    ...targets.filter(({ method, path }) => method === 'GET' && !path.includes('_')).flatMap(queryAttacks),
    ...targets.filter(({ bearer }) => bearer).flatMap(bearerAttacks),
    ...protocolAttacks(onV1),
    ...brokenOff(onV1),
  ];
}
