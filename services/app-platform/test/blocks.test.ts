import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import request from 'supertest';
import { errors } from '../src/errors.ts';
import { type Draft, plainStars, type Studio, type StudioApp, stars, startStudio } from './developers.ts';
import { type Breakage, breakages, islands, manifest } from './manifests.ts';

let studio: Studio;
let app: StudioApp;
let draft: Draft;
beforeAll(async () => {
  studio = await startStudio();
  app = await studio.newApp();
  draft = await app.newVersion();
  await draft.putIslands(...islands);
});
afterAll(() => studio.stop());

const getStatus = (code: string) => errors[code as keyof typeof errors]().status;
interface Detail {
  pointer: string;
  code: string;
  message: string;
}

describe('PUT blocks', () => {
  test('stores a manifest unchanged, and returns it', async () => {
    await fc.assert(
      fc.asyncProperty(manifest, async (blocks) => {
        const res = await draft.putBlocks({ blocks });
        expect([res.status, res.body]).toEqual([200, { blocks }]);
        expect((await draft.get()).blocks).toEqual(blocks);
      }),
      { numRuns: 30 },
    );
  });

  test('replaces the whole contribution, and writes nothing if it is equal', async () => {
    const own = await app.newVersion();
    await own.putBlocks({ blocks: [plainStars, { ...plainStars, key: 'other' }] });
    await own.putBlocks({ blocks: [plainStars] });
    const before = await own.get();
    expect(before.blocks).toEqual([plainStars]);
    const [{ nodes, ...rest }] = [plainStars];
    expect((await own.putBlocks({ blocks: [{ nodes, ...rest }] })).status).toBe(200);
    expect((await own.get()).updatedAt).toBe(before.updatedAt);
    expect((await own.putBlocks({ blocks: [] })).body).toEqual({ blocks: [] });
    expect((await own.get()).blocks).toEqual([]);
  });

  test.each(breakages.map((breakage) => [breakage.code, breakage.name, breakage] as const))(
    '%s: %s, wherever it is',
    async (code, _name, breakage) => {
      await draft.putBlocks({ blocks: [plainStars] });
      await fc.assert(
        fc.asyncProperty(manifest, fc.nat(), async (good, at) => {
          const i = at % good.length;
          const blocks = good.map((block, j) => (j === i ? breakage.apply(block) : block));
          const res = await draft.putBlocks({ blocks });
          expect([res.status, res.body.code]).toEqual([getStatus(code), code]);
          const details = res.body.details as Detail[];
          expect(new Set(details.map((detail) => detail.code))).toEqual(new Set([code]));
          expect(details[0]!.pointer.startsWith(`/blocks/${i}`)).toBe(true);
          expect(details[0]!.pointer.slice(`/blocks/${i}`.length)).toMatch(breakage.pointer);
        }),
        { numRuns: 8 },
      );
      expect((await draft.get()).blocks).toEqual([plainStars]);
    },
  );

  test('duplicate_block_key: a key twice, at the second', async () => {
    await fc.assert(
      fc.asyncProperty(manifest, async (good) => {
        const res = await draft.putBlocks({ blocks: [...good, { ...plainStars, key: good[0]!.key }] });
        expect(res.body).toMatchObject({
          code: 'duplicate_block_key',
          details: [{ pointer: `/blocks/${good.length}/key` }],
        });
        expect(res.status).toBe(409);
      }),
      { numRuns: 10 },
    );
  });

  test('of several problems the code is the first one’s by block and precedence, and all are listed', async () => {
    const inOrder = [
      'invalid_block',
      'invalid_block_subtree',
      'unknown_element_type',
      'unknown_island',
      'unknown_trait_widget',
      'unknown_write_key',
    ];
    const rank = ({ code }: Breakage) => inOrder.indexOf(code);
    // Breakages that leave the block, its nodes and its root readable.
    const gentle = breakages.filter(({ name }) => !/no object$|null for|no list|no rootId/.test(name));
    await fc.assert(
      fc.asyncProperty(
        manifest,
        fc.constantFrom(...gentle),
        fc.constantFrom(...gentle),
        async ([block], first, second) => {
          fc.pre(rank(first) !== rank(second));
          const both = first.apply(second.apply(block!) as never) as object;
          const [higher, lower] = rank(first) < rank(second) ? [first, second] : [second, first];
          const res = await draft.putBlocks({ blocks: [plainStars, both, { ...plainStars, key: 'Bad' }] });
          expect(res.body.code).toBe(higher.code);
          const details = res.body.details as Detail[];
          expect(details.map(({ code }) => code)).toEqual(
            expect.arrayContaining([higher.code, lower.code, 'invalid_block']),
          );
          expect(details.at(-1)).toMatchObject({ code: 'invalid_block', pointer: '/blocks/2/key' });
        },
      ),
      { numRuns: 30 },
    );
  });

  test('the message suggests a name that is nearly right', async () => {
    const nearly = structuredClone(stars);
    nearly.nodes[1]!.type = 'Heding';
    nearly.nodes[2]!.island = 'ratings';
    nearly.traits[0]!.attributes[1]!.writeKey = 'padingTop';
    nearly.traits[0]!.attributes[2]!.widget = 'togle';
    const { body } = await draft.putBlocks({ blocks: [nearly] });
    expect(body.code).toBe('unknown_element_type');
    expect(body.details.map(({ code, message }: Detail) => [code, message])).toEqual([
      ['unknown_element_type', expect.stringContaining('heading')],
      ['unknown_island', expect.stringContaining('rating')],
      ['unknown_trait_widget', expect.stringContaining('toggle')],
      ['unknown_write_key', expect.stringContaining('paddingTop')],
    ]);
  });

  test('suggestions for islands end after the first hundred, because hostile names would cost seconds', async () => {
    const nodes = (block: number) =>
      Array.from({ length: 60 }, (_, i) => ({ id: `n${i}`, type: 'text', island: `ratin${block}${i % 10}` }));
    const { body } = await draft.putBlocks({
      blocks: [0, 1, 2].map((i) => ({ ...plainStars, key: `block-${i}`, nodes: nodes(i) })),
    });
    const unknown = (body.details as Detail[]).filter((detail) => detail.code === 'unknown_island');
    const isHinted = unknown.map(({ message }) => message.includes('did you mean rating'));
    expect(isHinted).toEqual([...Array(100).fill(true), ...Array(80).fill(false)]);
  });

  test('what claims to be a block reference is stripped', async () => {
    const claim = { appId: 'app_x', blockKey: 'other', settings: { title: {} } };
    const block = structuredClone(plainStars) as { nodes: { props?: object }[] };
    block.nodes[1]!.props = { ...claim, specials: { ...claim, text: 'x' }, style: {} };
    block.nodes[0]!.props = undefined as never;
    const res = await draft.putBlocks({ blocks: [{ ...block, ...claim }] });
    expect(res.status).toBe(200);
    expect(res.body.blocks[0].nodes[1].props).toEqual({ specials: { text: 'x' }, style: {} });
    expect(res.body.blocks[0]).not.toHaveProperty('blockKey');
    expect(res.body.blocks).toEqual((await draft.get()).blocks);
  });

  test.each([
    ['{', 'invalid_body'],
    ['[]', 'invalid_body'],
    ['{}', 'invalid_body'],
    ['{"blocks":{}}', 'invalid_body'],
    ['{"blocks":null}', 'invalid_body'],
    ['{"blocks":["\\u0000"]}', 'invalid_body'],
    [JSON.stringify({ blocks: Array(25).fill({}) }), 'too_many_blocks'],
    [JSON.stringify({ blocks: Array(24).fill(plainStars) }), 'duplicate_block_key'],
    [JSON.stringify({ blocks: ['x'.repeat(1024 * 1024)] }), 'body_too_large'],
  ])('%.40s is %s', async (body, code) => {
    const res = await draft.putBlocks(body);
    expect([res.status, res.body.code]).toEqual([getStatus(code), code]);
    expect(res.body.error).toEqual(expect.any(String));
  });

  test('a block too many is listed as every problem is, with its code', async () => {
    const { body } = await draft.putBlocks({ blocks: Array(25).fill({}) });
    const message = expect.stringContaining('24');
    expect(body.details).toEqual([{ pointer: '/blocks', code: 'too_many_blocks', message }]);
  });

  test.each([
    [
      'children that are no nodes',
      { nodes: [{ id: 'root', type: 'stack', children: Array(240_000).fill('x') }] },
    ],
    [
      'nodes of unknown types',
      { nodes: Array.from({ length: 4_999 }, (_, i) => ({ id: `n${i}`, type: `hedd${i}` })) },
    ],
    [
      'style keys that are none',
      {
        nodes: [
          {
            id: 'root',
            type: 'text',
            props: {
              style: {
                base: Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`paddingTip${i}`, 1])),
              },
            },
          },
        ],
      },
    ],
    [
      'a subtree that is too deep',
      {
        nodes: Array.from({ length: 4_999 }, (_, i) => ({
          id: `n${i}`,
          type: 'stack',
          children: [`n${i + 1}`],
        })),
      },
    ],
  ])('a mebibyte of %s is refused, with a thousand problems at most', async (_what, change) => {
    const res = await draft.putBlocks({ blocks: [{ ...plainStars, slots: [], traits: [], ...change }] });
    expect(res.status).toBe(400);
    expect(res.body.details.length).toBeLessThanOrEqual(1000);
  });

  test('24 blocks are not too many', async () => {
    const blocks = Array.from({ length: 24 }, (_, i) => ({ ...plainStars, key: `block-${i}` }));
    expect((await draft.putBlocks({ blocks })).status).toBe(200);
  });

  test('whatever the manifest is, the answer is one of the contract', async () => {
    const anything = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue(),
        fc.dictionary(
          fc.constantFrom(
            'key',
            'name',
            'rootId',
            'nodes',
            'slots',
            'traits',
            'attributes',
            'props',
            '__proto__',
          ),
          tie('value'),
        ),
        fc.array(tie('value'), { maxLength: 3 }),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { maxLength: 3 }), async (blocks) => {
        const { status } = await draft.putBlocks({ blocks });
        expect([200, 400, 409]).toContain(status);
      }),
      { numRuns: 60 },
    );
  });
});

describe('without an answer of the content service', () => {
  test('block_vocabulary_unavailable, after too_many_blocks, before the blocks; nothing is stored', async () => {
    const own = await startStudio();
    try {
      const version = await (await own.newApp()).newVersion();
      await version.putBlocks({ blocks: [plainStars] });
      own.content.vocabulary = null;
      // The answer from within the last minute may still be used, and is.
      expect((await version.putBlocks({ blocks: [plainStars] })).status).toBe(200);
      await own.system.restart();
      const refused = await version.putBlocks({ blocks: [{ ...plainStars, name: 'New' }] });
      expect([refused.status, refused.body.code]).toEqual([503, 'block_vocabulary_unavailable']);
      expect(refused.headers['retry-after']).toBeDefined();
      expect((await version.putBlocks({ blocks: [7] })).body.code).toBe('block_vocabulary_unavailable');
      expect((await version.putBlocks({ blocks: Array(25).fill(7) })).body.code).toBe('too_many_blocks');
      expect((await version.get()).blocks).toEqual([plainStars]);
    } finally {
      await own.stop();
    }
  });

  test('many simultaneous manifests cause one look-up', async () => {
    const own = await startStudio();
    try {
      const version = await (await own.newApp()).newVersion();
      const requestCount = own.content.requests;
      await Promise.all(Array.from({ length: 10 }, () => version.putBlocks({ blocks: [plainStars] })));
      expect(own.content.requests - requestCount).toBe(1);
    } finally {
      await own.stop();
    }
  });
});

describe('GET /schemas/block-manifest.json', () => {
  const get = () => request(studio.system.internalUrl).get('/schemas/block-manifest.json');

  test('is a JSON Schema that accepts every valid manifest', async () => {
    const res = await get();
    expect(res.headers['content-type']).toBe('application/schema+json; charset=utf-8');
    expect(res.headers['access-control-allow-origin']).toBe('*');
    const schema = JSON.parse(res.text ?? res.body.toString());
    expect(schema.$id).toBe('https://waybill.example/schemas/block-manifest.json');
    const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(schema);
    fc.assert(
      fc.property(manifest, (blocks) => {
        expect([validate({ blocks }), validate.errors]).toEqual([true, null]);
      }),
      { numRuns: 100 },
    );
    expect(validate({ blocks: [stars] })).toBe(true);
  });

  test('and refuses bodies that break a rule of the schema', async () => {
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse((await get()).text));
    const beyond =
      /^(a slot |two |a child that|a node out|the root below|a node with two|children of|a trait of|a binding of a field|an island that is not)/;
    for (const { name, apply } of breakages.filter((breakage) => !beyond.test(breakage.name))) {
      expect([name, validate({ blocks: [apply(structuredClone(stars) as never)] })]).toEqual([name, false]);
    }
  });
});
