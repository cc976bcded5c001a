import { Validator } from '@seriousme/openapi-schema-validator';
import { hasChromium, launchChromium } from '@waybill/testing';
import { services } from '../../services.ts';
import { type Reply, send } from '../../testing/client.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const hasBrowser = hasChromium('the reference in a browser');

interface Operation {
  operationId: string;
  security: object[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: object }>;
}

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  let system: SharedSystem;
  beforeAll(async () => {
    system = await share();
  });

  const get = (path: string): Promise<Reply> => send(system.baseUrl, 'GET', path);

  describe('/openapi.json', () => {
    let paths: Record<string, Record<string, Operation>>;
    let reply: Reply;
    beforeAll(async () => {
      reply = await get('/openapi.json');
      paths = reply.body.paths;
    });
    const operations = () =>
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({
          method: method.toUpperCase(),
          path,
          operation,
        })),
      );

    inOneTopology('is a valid OpenAPI 3.1 document without broken references', async () => {
      const validator = new Validator();
      expect(await validator.validate(structuredClone(reply.body))).toEqual({ valid: true });
      expect(validator.version).toBe('3.1');
      const named = [...reply.text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
        ([, name]) => name!,
      );
      expect(named.length).toBeGreaterThan(10);
      expect(Object.keys(reply.body.components.schemas)).toEqual(expect.arrayContaining([...new Set(named)]));
    });

    test('names the address at which it was requested', () => {
      expect(reply.body.servers).toEqual([{ url: system.baseUrl }]);
    });

    test('names every route of every service except internal ones', () => {
      const routes = services
        .flatMap(({ aggregates }) => aggregates.flatMap((each) => Object.values(each.routes)))
        // A fallback stands for all paths without a route; a route that answers 405 is no operation.
        .filter(
          ({ path, answer }) => !path.startsWith('/internal/') && !path.endsWith('*}') && answer[0] !== 405,
        );
      expect(
        operations()
          .map(({ method, path }) => `${method} ${path}`)
          .sort(),
      ).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
      const ids = operations().map(({ operation }) => operation.operationId);
      expect(new Set(ids).size).toBe(ids.length);
    });

    inOneTopology(
      'describes the call of every event type, with the schema and sample of the API',
      async () => {
        const headers = { authorization: `Bearer ${system.demo.apiKey}` };
        const { status, body } = await send(system.baseUrl, 'GET', '/api/v1/event-types', { headers });
        expect([status, body.total]).toEqual([200, body.eventTypes.length]);
        expect(Object.keys(reply.body.webhooks).sort()).toEqual(
          body.eventTypes.map(({ type }: { type: string }) => type).sort(),
        );
        for (const { type, description, schema, sample } of body.eventTypes) {
          const { post } = reply.body.webhooks[type];
          expect(post.description).toBe(description);
          const content = post.requestBody.content['application/json'];
          expect(content.schema.properties.data).toEqual(schema);
          expect(content.examples.whole.value.data).toEqual(sample);
          expect(post.parameters.map(({ name }: { name: string }) => name)).toEqual(
            expect.arrayContaining([
              'X-WB-Signature',
              'X-WB-Signature-Next',
              'X-WB-Test',
              'webhook-signature',
            ]),
          );
        }
      },
    );

    inOneTopology('describes every body, also a form with a file', () => {
      for (const { path, operation } of operations()) {
        for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {})) {
          expect([path, type, schema]).not.toEqual([path, type, {}]);
        }
      }
      expect(paths['/api/v1/media']!.post!.requestBody!.content).toMatchObject({
        'multipart/form-data': { schema: { required: ['file'], properties: { file: { format: 'binary' } } } },
      });
    });

    inOneTopology('describes every answer to GET, and the errors of every route', () => {
      for (const { method, path, operation } of operations()) {
        for (const [status, { content }] of Object.entries(operation.responses)) {
          if (method === 'GET' && status < '300')
            expect({ path, status, content }).toMatchObject({ content: expect.any(Object) });
        }
        expect(operation.responses).toMatchObject({ 500: expect.anything(), 503: expect.anything() });
      }
    });

    test('names exactly the routes that refuse a request without a credential', async () => {
      for (const { method, path, operation } of operations()) {
        const { status, body } = await send(system.baseUrl, method, path.replaceAll(/\{\w+\}/g, 'x'));
        const isRefused = status === 401 && body.code === 'missing_credential';
        expect(`${method} ${path} ${isRefused}`).toBe(`${method} ${path} ${operation.security.length > 0}`);
      }
    });
  });

  describe('/docs', () => {
    const partsOf = ({ text }: Reply) =>
      [...text.matchAll(/<(?:link|script)[^>]+(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);

    test.each(['/docs', '/docs/webhooks', '/docs/reference'])(
      '%s is a page whose parts all come from this server, and may come from nowhere else',
      async (path) => {
        const page = await get(path);
        expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
        const policy = String(page.headers['content-security-policy']);
        expect(policy).toMatch(/^default-src 'none';/);
        expect(policy).not.toMatch(/https?:|\*/);
        for (const part of partsOf(page).filter((each) => each !== 'data:,')) {
          expect(part).toMatch(/^\/docs\/[\w.-]+$/);
          expect((await get(part)).status).toBe(200);
        }
      },
    );

    test('the reference loads nothing from other hosts, and keeps the sign-in', async () => {
      const start = (await get('/docs/start.js')).text;
      for (const setting of [
        "url: '/openapi.json'",
        'persistAuth: true',
        'telemetry: false',
        'withDefaultFonts: false',
        'agent: { disabled: true }',
        'mcp: { disabled: true }',
      ])
        expect(start).toContain(setting);
    });

    (hasBrowser ? inOneTopology : test.skip)(
      'the reference works on a phone, under its policy and without a network',
      async () => {
        const browser = await launchChromium();
        try {
          const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
          const trouble: string[] = [];
          page.on('console', (message) => message.type() === 'error' && trouble.push(message.text()));
          page.on('pageerror', (error) => trouble.push(error.message));
          page.on('request', (request) => {
            const url = request.url();
            if (!url.startsWith(system.baseUrl) && !url.startsWith('data:')) trouble.push(url);
          });
          await page.goto(`${system.baseUrl}/docs/reference`, { waitUntil: 'commit' });
          await page.getByText('Every resource is available at two paths').waitFor({ timeout: 120_000 });
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
          // Readers see the operations that generators of clients skip.
          expect(
            await page.evaluate("fetchWithWebhooks('/openapi.json').then((reply) => reply.text())"),
          ).not.toContain('"x-internal"');
          expect(trouble).toEqual([]);
        } finally {
          await browser.close();
        }
      },
    );

    test('the largest file is sent compressed to clients that accept it', async () => {
      const headers = { 'accept-encoding': 'br' };
      const reply = await send(system.baseUrl, 'GET', '/docs/reference.js', { headers });
      expect(reply.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
      expect(Number(reply.headers['content-length'])).toBeLessThan(1_500_000);
    });

    test('has no other files', async () => {
      for (const name of [
        'package.json',
        '..%2fpackage.json',
        '%2e%2e%2f%2e%2e%2fpackage.json',
        'constructor',
        'five-minutes.html',
        '',
      ]) {
        const { status } = await get(`/docs/${name}`);
        expect(`${name} ${status}`).toBe(`${name} ${name === '' ? 200 : 404}`);
      }
    });
  });
});
