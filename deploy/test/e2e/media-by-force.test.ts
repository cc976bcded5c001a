import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@waybill/testing';
import { expectStatus, newKey, newPerson, newStore } from '../../testing/accounts.ts';
import { createCaller } from '../../testing/client.ts';
import { download, formOf, jpegOf, upload } from '../../testing/uploads.ts';
import { residentMiBOf, type StartedSystem, smallHeap, topologies, unlimited } from './topologies.ts';

const limit = 25 * 1024 * 1024;
const list = '/api/v1/media';
/** Few, so that a test can fill a store. */
const filesOfQuota = 6;

describe.each(topologies)('$name', ({ start }) => {
  let system: StartedSystem;
  beforeAll(async () => {
    system = await start({ ...unlimited, ...smallHeap, MEDIA_QUOTA_BYTES: String(filesOfQuota * limit) });
  });
  afterAll(() => system.stop());

  /** Uploads to the demo store, which the kill affects. */
  const fill = () => upload(system.baseUrl, system.demo.apiKey, formOf(jpegOf(limit)));
  const listed = async () =>
    expectStatus(await createCaller(system.baseUrl, system.demo.apiKey)('GET', list), 200).body.media;

  test('a kill during uploads loses nothing that was answered', async () => {
    const stored: string[] = [];
    const lanes = Array.from({ length: 6 }, async () => {
      for (;;) {
        const { status, body } = await fill();
        if (status === 201) stored.push(body.media.id);
      }
    });
    const ended = Promise.allSettled(lanes);
    await eventually(() => stored.length >= 2, { withinMs: 60_000 });
    await system.kill('SIGKILL');
    await ended;
    await system.restart();
    const ids = (await listed()).map(({ id }: { id: string }) => id);
    expect(stored.filter((id) => !ids.includes(id))).toEqual([]);
    for (const { url } of await listed()) expect((await download(url)).bytes).toHaveLength(limit);
  }, 300_000);

  test('30 simultaneous files of 25 MiB are stored, and no process holds them in memory', async () => {
    const owner = await newPerson(system.baseUrl);
    const keys: string[] = [];
    for (let i = 0; i < 30 / filesOfQuota; i++) {
      const { secret } = await newKey(owner, await newStore(owner), ['media.read', 'media.write']);
      keys.push(secret);
    }
    const pids = system.pids();
    const sizes = () => Promise.all(pids.map(residentMiBOf));
    const before = await sizes();
    let most = 0;
    let isDone = false;
    const watch = (async () => {
      while (!isDone) {
        const growths = (await sizes()).map((size, i) => size - before[i]!);
        most = Math.max(most, ...growths);
        await sleep(100);
      }
    })();
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        upload(system.baseUrl, keys[i % keys.length]!, formOf(jpegOf(limit))),
      ),
    );
    isDone = true;
    await watch;
    expect(replies.map(({ status, body }) => (status === 201 ? 201 : body))).toEqual(Array(30).fill(201));
    expect((await createCaller(system.baseUrl, keys[0]!)('GET', list)).body.total).toBe(filesOfQuota);
    // If they were held in memory, they would take 750 MiB. The aim is 200; how much more a process uses depends on the
    // machine.
    expect(most).toBeLessThan(450);
    process.stderr.write(`30 × 25 MiB at once: ${most.toFixed(0)} MiB more in one process\n`);
  });

  // This test comes last: a reservation outlives its process by a minute; after that there is room for six files again.
  test('reservations of uploads are released after a kill', async () => {
    await eventually(
      async () => {
        const { status, body } = await fill();
        return (
          status === 413 && body.used === filesOfQuota * limit && (await listed()).length === filesOfQuota
        );
      },
      { withinMs: 120_000, what: 'a store filled to its quota', restMs: 3000 },
    );
  }, 300_000);
});
