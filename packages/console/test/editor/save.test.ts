import { type PageDocument, type PageNode, vocabulary } from '@waybill/page';
import { WaybillError } from '@waybill/sdk';
import fc from 'fast-check';
import { insert, setValue } from '../../src/editor/core/commands.ts';
import { Editor } from '../../src/editor/core/editor.ts';
import { loadMerge } from '../../src/editor/core/lazy-merge.ts';

import { SaveQueue } from '../../src/editor/core/save-queue.ts';
import { toFailure } from '../../src/editor/save/answers.ts';
import { createTabRecovery, listAbandoned, type Table } from '../../src/editor/save/recovery.ts';

beforeAll(loadMerge);

const text = (id: string, words = ''): PageNode => ({
  id,
  type: 'text',
  props: { specials: { text: words } },
});
const ids = ['t0', 't1', 't2'];
const page: PageDocument = {
  rootId: 'root',
  nodes: [{ id: 'root', type: 'container', children: ids }, ...ids.map((id) => text(id))],
};
const getWords = ({ nodes }: PageDocument) =>
  Object.fromEntries(nodes.flatMap(({ id, props }) => (id === 'root' ? [] : [[id, props?.specials?.text]])));

/** A clock that moves only when it is told to. */
class FakeClock {
  #now = 1_000_000;
  #timers: { at: number; act: () => void }[] = [];
  now = () => this.#now;
  schedule(ms: number, act: () => void) {
    const timer = { at: this.#now + ms, act };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }
  async pass(ms: number) {
    const end = this.#now + ms;
    await settled();
    for (;;) {
      const [next] = this.#timers.toSorted((a, b) => a.at - b.at);
      if (!next || next.at > end) break;
      this.#now = next.at;
      this.#timers = this.#timers.filter((each) => each !== next);
      next.act();
      await settled();
    }
    this.#now = end;
  }
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

type Mood = 'ok' | 'slow' | 'dead' | 'lostRequest' | 'lostAnswer' | '401' | '413' | '429' | '500';

/** A server and the connection to it. `mood` sets how it answers. */
class FakeServer {
  document = page;
  version = 1;
  mood: Mood = 'ok';
  writes: PageDocument[] = [];
  most = 0;
  #open = 0;
  readonly #clock: FakeClock;
  constructor(clock: FakeClock) {
    this.#clock = clock;
  }
  get etag() {
    return `"${this.version}"`;
  }
  /** Stores a document on behalf of another user. */
  put(document: PageDocument) {
    this.document = document;
    this.version++;
  }
  read = async () => {
    await this.#line();
    return { document: this.document, etag: this.etag };
  };
  write = async (document: PageDocument, etag: string | null) => {
    this.most = Math.max(this.most, ++this.#open);
    try {
      const { mood } = this;
      await this.#line();
      const failure = { '401': 401, '413': 413, '429': 429, '500': 500 }[mood as string];
      const headers = new Headers(mood === '429' ? { 'retry-after': '30' } : {});
      if (failure) throw new WaybillError('code', 'no', { status: failure, headers });
      if (etag !== this.etag) throw new WaybillError('precondition_failed', 'no', { status: 412 });
      this.writes.push(document);
      this.put(document);
      const answer = { etag: this.etag };
      if (mood === 'lostAnswer') throw new WaybillError('unreachable', 'no');
      return answer;
    } finally {
      this.#open--;
    }
  };
  async #line() {
    const { mood } = this;
    if (mood === 'lostRequest') throw new WaybillError('unreachable', 'no');
    if (mood === 'slow') await new Promise<void>((resolve) => this.#clock.schedule(7_000, resolve));
    if (mood === 'dead') await new Promise<void>((resolve) => this.#clock.schedule(300_000, resolve));
  }
}

/** A browser's table, which outlives its tabs. */
class FakeTable implements Table {
  readonly all = new Map<string, unknown>();
  writes: string[][] = [];
  async setMany(some: [string, unknown][]) {
    this.writes.push(some.map(([key]) => key));
    for (const [key, value] of some) this.all.set(key, structuredClone(value));
  }
  async delMany(keys: string[]) {
    for (const key of keys) this.all.delete(key);
  }
  entries = async () => [...this.all];
}

function newDesk() {
  const clock = new FakeClock();
  const server = new FakeServer(clock);
  const table = new FakeTable();
  let tabs = 0;
  /** Opens the page as a new tab does; returns what a closed tab left unsaved. */
  async function open() {
    const tab = `page/${tabs++}`;
    const { document, etag } = { document: server.document, etag: server.etag };
    const editor = new Editor(vocabulary, document, clock.now);
    const merged: string[] = [];
    const queue = new SaveQueue({
      editor,
      saved: { document, etag },
      write: server.write,
      read: server.read,
      classifyFailure: toFailure,
      clock,
      restoreLabel: 'Restore',
      recovery: createTabRecovery(table, tab),
      onMerged: (some) => merged.push(...some),
    });
    const kinds: string[] = [];
    queue.subscribe(() => {
      if (kinds.at(-1) !== queue.state.kind) kinds.push(queue.state.kind);
    });
    const found = listAbandoned(await table.entries(), table, 'page/', (other) => other !== tab, clock.now());
    for (const { unsaved, remove } of found) {
      expect(queue.restore(unsaved)).toBeUndefined();
      await remove();
    }
    const type = (id: string, words: string) =>
      editor.apply('Type', setValue(editor.state.tree, [id], { target: 'specials', key: 'text' }, words));
    return { editor, queue, kinds, merged, type };
  }
  return { clock, server, table, open };
}

const changed = (document: PageDocument, id: string, words: string): PageDocument => ({
  ...document,
  nodes: document.nodes.map((node) => (node.id === id ? text(id, words) : node)),
});

test('typing is saved 800 ms after the last letter, and after 5 s at most', async () => {
  const { clock, server, open } = newDesk();
  const { type, queue, kinds } = await open();
  type('t0', 'a');
  await clock.pass(700);
  type('t0', 'ab');
  await clock.pass(799);
  expect([server.writes.length, queue.state.kind]).toEqual([0, 'dirty']);
  await clock.pass(1);
  expect(getWords(server.document)).toMatchObject({ t0: 'ab' });
  expect(queue.state).toEqual({ kind: 'clean', savedAt: clock.now() });
  expect(kinds).toEqual(['dirty', 'saving', 'clean']);
  for (let i = 0; i < 60; i++) {
    type('t1', `${i}`);
    await clock.pass(100);
  }
  expect(server.writes).toHaveLength(2);
});

test('one write runs at a time, and later typing is saved by the next one', async () => {
  const { clock, server, open } = newDesk();
  const { type, queue } = await open();
  server.mood = 'slow';
  type('t0', 'one');
  await clock.pass(1_000);
  type('t0', 'two');
  await clock.pass(3_000);
  expect(queue.state.kind).toBe('saving');
  await clock.pass(30_000);
  expect(server.most).toBe(1);
  expect(server.writes.map((document) => getWords(document).t0)).toEqual(['one', 'two']);
});

test('another person’s change elsewhere in the document is merged, and both are saved', async () => {
  const { clock, server, open } = newDesk();
  const { type, merged, editor, queue } = await open();
  server.put(changed(page, 't1', 'theirs'));
  type('t0', 'mine');
  await clock.pass(5_000);
  expect(getWords(server.document)).toMatchObject({ t0: 'mine', t1: 'theirs' });
  expect(getWords(editor.document)).toMatchObject({ t0: 'mine', t1: 'theirs' });
  expect([merged, queue.state.kind]).toEqual([['t1'], 'clean']);
  // Another user's change is not a step in one's own history.
  expect(editor.state.history.done).toHaveLength(1);
  editor.undo();
  expect(getWords(editor.document).t1).toBe(getWords(server.document).t1);
});

test('a conflict pauses saving until it is resolved, while typing continues', async () => {
  const { clock, server, open } = newDesk();
  const { type, queue } = await open();
  server.put(changed(page, 't0', 'theirs'));
  type('t0', 'mine');
  await clock.pass(5_000);
  if (queue.state.kind !== 'conflict') throw new Error(queue.state.kind);
  expect(queue.state.conflicts).toMatchObject([{ id: 't0', mine: 'mine', theirs: 'theirs' }]);
  type('t1', 'more');
  queue.retry();
  await clock.pass(60_000);
  expect(server.writes).toEqual([]);
  expect(await queue.flush()).toBe(false);
  queue.resolve({ 'value/t0/props/specials/text': 'theirs' });
  expect(await queue.flush()).toBe(true);
  expect(getWords(server.document)).toMatchObject({ t0: 'theirs', t1: 'more' });
});

test('typing is kept after a session ends, until the next sign-in', async () => {
  const { clock, server, open } = newDesk();
  const { type, queue } = await open();
  server.mood = '401';
  type('t0', 'a');
  await clock.pass(2_000);
  expect(queue.state.kind).toBe('signed-out');
  type('t0', 'ab');
  await clock.pass(60_000);
  server.mood = 'ok';
  queue.retry();
  await clock.pass(0);
  expect(getWords(server.document).t0).toBe('ab');
});

test('a session that is refused after each renewal is not retried forever', async () => {
  const { clock, server, open } = newDesk();
  const { type, queue } = await open();
  server.mood = '401';
  // Retries at once, as the screen does after a renewed sign-in.
  let tries = 0;
  queue.subscribe(() => {
    if (queue.state.kind === 'signed-out') queueMicrotask(() => ++tries && queue.retry());
  });
  type('t0', 'a');
  await clock.pass(10_000);
  expect(tries).toBe(3);
  expect(queue.state.kind).toBe('offline');
  server.mood = 'ok';
  await clock.pass(60_000);
  expect(queue.state.kind).toBe('clean');
});

test('an unavailable server is retried after growing pauses, and not before its Retry-After', async () => {
  const { clock, server, open } = newDesk();
  const { type, queue } = await open();
  server.mood = '500';
  type('t0', 'a');
  await clock.pass(800);
  expect(queue.state).toMatchObject({ kind: 'offline', isOffline: false, retryAt: clock.now() + 1_000 });
  type('t0', 'ab');
  expect(queue.state.kind).toBe('offline');
  await clock.pass(1_000);
  expect(queue.state).toMatchObject({ retryAt: clock.now() + 2_000 });
  server.mood = '429';
  await clock.pass(2_000);
  expect(queue.state).toMatchObject({ kind: 'offline', retryAt: clock.now() + 30_000 });
  server.mood = 'lostRequest';
  await clock.pass(30_000);
  expect(queue.state).toMatchObject({ kind: 'offline', isOffline: true });
  server.mood = 'ok';
  await clock.pass(60_000);
  expect([queue.state.kind, getWords(server.document).t0]).toEqual(['clean', 'ab']);
});

test('a refused save shows its reason, and is retried after the next change', async () => {
  const { clock, server, table, open } = newDesk();
  const { type, queue } = await open();
  server.mood = '413';
  type('t0', 'a');
  await clock.pass(60_000);
  expect(queue.state).toMatchObject({ kind: 'refused', code: 'code' });
  expect(table.all.size).toBe(2);
  server.mood = 'ok';
  type('t0', 'b');
  await clock.pass(1_000);
  expect([queue.state.kind, getWords(server.document).t0, table.all.size]).toEqual(['clean', 'b', 0]);
});

test('a lost answer makes no conflict with one’s own change', async () => {
  const { clock, server, open } = newDesk();
  const { type, queue, merged } = await open();
  server.mood = 'lostAnswer';
  type('t0', 'one');
  await clock.pass(800);
  type('t0', 'two');
  server.mood = 'lostRequest';
  await clock.pass(1_000);
  server.mood = 'ok';
  await clock.pass(60_000);
  expect([queue.state.kind, getWords(server.document).t0, merged]).toEqual(['clean', 'two', []]);
});

test('a dead connection is given up after a minute', async () => {
  const { clock, server, open } = newDesk();
  const { type, queue } = await open();
  server.mood = 'dead';
  type('t0', 'a');
  await clock.pass(60_700);
  expect(queue.state.kind).toBe('saving');
  await clock.pass(100);
  expect(queue.state.kind).toBe('offline');
  server.mood = 'ok';
  await clock.pass(600_000);
  expect([queue.state.kind, getWords(server.document).t0]).toEqual(['clean', 'a']);
});

test('a killed tab loses nothing: the next one merges its changes with those of others', async () => {
  const { clock, server, table, open } = newDesk();
  const dead = await open();
  server.mood = 'lostRequest';
  dead.type('t0', 'typed');
  await clock.pass(0);
  dead.queue.close();
  server.mood = 'ok';
  server.put(changed(page, 't1', 'theirs'));
  const { queue, editor } = await open();
  expect(await queue.flush()).toBe(true);
  expect(getWords(server.document)).toMatchObject({ t0: 'typed', t1: 'theirs' });
  expect(table.all.size).toBe(0);
  // A restored change can be undone like any other.
  editor.undo();
  editor.undo();
  expect(getWords(editor.document)).toMatchObject({ t0: '' });
});

test('each letter is stored at once, without storing the whole page each time', async () => {
  const { clock, table, open } = newDesk();
  const { type } = await open();
  for (const words of ['a', 'ab', 'abc']) {
    type('t0', words);
    await clock.pass(10);
  }
  expect(table.writes.map((keys) => keys.length)).toEqual([2, 1, 1]);
  for (const words of ['x', 'xy', 'xyz', 'xyz!']) type('t1', words);
  await clock.pass(10);
  // Changes made during a write are combined into the next one.
  expect(table.writes).toHaveLength(5);
});

test('unsaved changes are deleted after a month, those of other pages stay', async () => {
  const table = new FakeTable();
  const kept = { base: page, etag: null, changes: [], at: 0 };
  await createTabRecovery(table, 'page/old').store(kept);
  await createTabRecovery(table, 'other/tab').store({ ...kept, at: 31 * 86_400_000 });
  expect(listAbandoned(await table.entries(), table, 'page/', () => true, 31 * 86_400_000)).toEqual([]);
  expect([...table.all.keys()]).toEqual(['other/tab/base', 'other/tab/changes']);
});

test('a full browser storage is reported, and saving continues', async () => {
  const { clock, server } = newDesk();
  const editor = new Editor(vocabulary, page);
  let told = 0;
  const broken = { store: () => Promise.reject(new Error('QuotaExceeded')), remove: async () => {} };
  const queue = new SaveQueue({
    editor,
    saved: { document: page, etag: server.etag },
    write: server.write,
    read: server.read,
    classifyFailure: toFailure,
    clock,
    restoreLabel: 'Restore',
    recovery: broken,
    onRecoveryFailed: () => told++,
  });
  editor.apply('Type', setValue(editor.state.tree, ['t0'], { target: 'specials', key: 'text' }, 'a'));
  await clock.pass(1_000);
  expect([told > 0, queue.state.kind, getWords(server.document).t0]).toEqual([true, 'clean', 'a']);
});

describe('whatever happens to the line, the server and the tabs', () => {
  type Happening =
    | { is: 'type' | 'other'; at: number }
    | { is: 'put' | 'otherPuts' | 'kill' | 'retry' }
    | { is: 'mood'; mood: Mood }
    | { is: 'pass'; ms: number };
  const happening: fc.Arbitrary<Happening> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ is: fc.constant('type' as const), at: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.record({ is: fc.constant('other' as const), at: fc.nat(2) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        is: fc.constantFrom<('put' | 'otherPuts' | 'kill' | 'retry')[]>('put', 'otherPuts', 'kill', 'retry'),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        is: fc.constant('mood' as const),
        mood: fc.constantFrom<Mood[]>(
          'ok',
          'ok',
          'slow',
          'dead',
          'lostRequest',
          'lostAnswer',
          '401',
          '413',
          '429',
          '500',
        ),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        is: fc.constant('pass' as const),
        ms: fc.constantFrom(10, 500, 900, 5_000, 40_000),
      }),
    },
  );

  test('nothing that was typed is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 40 }), async (all) => {
        const { clock, server, open } = newDesk();
        let tab = await open();
        let n = 0;
        /** The last text in each place and when it was written, by each user. */
        const mine = new Map<string, { words: string; at: number }>();
        const theirs = new Map<string, { words: string; at: number }>();
        const put: string[] = [];
        for (const each of all) {
          const at = ++n;
          const id = 'at' in each ? ids[each.at]! : '';
          if (each.is === 'type') {
            tab.type(id, `m${at}`);
            mine.set(id, { words: `m${at}`, at });
          } else if (each.is === 'other') {
            server.put(changed(server.document, id, `o${at}`));
            theirs.set(id, { words: `o${at}`, at });
          } else if (each.is === 'put') {
            const fragment = { rootId: `n${at}`, nodes: [text(`n${at}`)] };
            tab.editor.apply('Insert', insert(tab.editor.state.tree, 'root', at % 3, fragment));
            put.push(`n${at}`);
          } else if (each.is === 'otherPuts') {
            const { nodes } = server.document;
            const [root] = nodes.filter((node) => node.id === 'root');
            const children = [...root!.children!, `n${at}`];
            server.put({
              rootId: 'root',
              nodes: [...nodes.filter((node) => node !== root), { ...root!, children }, text(`n${at}`)],
            });
            put.push(`n${at}`);
          } else if (each.is === 'mood') server.mood = each.mood;
          else if (each.is === 'retry') tab.queue.retry();
          else if (each.is === 'pass') await clock.pass(each.ms);
          else {
            await settled();
            tab.queue.close();
            tab = await open();
          }
        }
        server.mood = 'ok';
        for (let i = 0; i < 10 && tab.queue.state.kind !== 'clean'; i++) {
          const { state } = tab.queue;
          if (state.kind === 'conflict')
            tab.queue.resolve(Object.fromEntries(state.conflicts.map(({ key }) => [key, 'mine' as const])));
          tab.queue.retry();
          await clock.pass(400_000);
        }
        expect(await tab.queue.flush()).toBe(true);
        const after = getWords(server.document);
        for (const id of ids) {
          const [own, other] = [mine.get(id), theirs.get(id)];
          if (own && (!other || own.at > other.at)) expect(after[id]).toBe(own.words);
          else if (other) expect([own?.words, other.words]).toContain(after[id]);
        }
        expect(Object.keys(after)).toEqual(expect.arrayContaining(put));
      }),
      { numRuns: 300 },
    );
  }, 60_000);
});
