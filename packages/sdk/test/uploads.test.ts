import { createClient, uploadMedia } from '../src/index.ts';
import { json, startServer } from './server.ts';

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const client = () => createClient({ baseUrl: server.baseUrl, credential: 'wbk_x', sleep: async () => {} });

test('an upload tells how far it is, begins again where it was shed, and carries one key', async () => {
  server.answer(
    json(503, { error: '', code: 'resource_unavailable' }),
    json(201, { media: { id: 'med_1' } }),
  );
  const shares: number[] = [];
  const file = new File([new Uint8Array(300_000)], 'tea.png', { type: 'image/png' });
  const media = await uploadMedia(client(), file, { folderId: 'mfd_1', onProgress: (s) => shares.push(s) });
  expect(media.id).toBe('med_1');
  expect(shares.filter((share) => share === 1)).toHaveLength(2);
  expect(shares.every((share) => share > 0 && share <= 1)).toBe(true);
  const [first, second] = server.seen as [(typeof server.seen)[0], (typeof server.seen)[0]];
  expect(second.body.slice(-1000)).toBe(first.body.slice(-1000));
  expect(second.headers['idempotency-key']).toBe(first.headers['idempotency-key']);
  expect(second.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  expect(second.body.indexOf('name="folderId"')).toBeLessThan(second.body.indexOf('filename="tea.png"'));
});

test('bytes go as they are, with their own type', async () => {
  server.answer(json(201, { island: {} }));
  await client().upload('/api/orgs/o/x', new Blob(['export {};'], { type: 'text/javascript' }), {
    method: 'PUT',
  });
  expect(server.seen).toMatchObject([
    { method: 'PUT', body: 'export {};', headers: { 'content-type': 'text/javascript' } },
  ]);
});

test('a file that the server refuses, and one that is stopped, are errors', async () => {
  server.answer(json(413, { error: 'Full.', code: 'quota_exceeded', used: 1, limit: 1, incoming: 1 }));
  await expect(uploadMedia(client(), new Blob(['x']), { onProgress() {} })).rejects.toMatchObject({
    code: 'quota_exceeded',
    body: { limit: 1 },
  });
  const stop = new AbortController();
  server.answer(() => stop.abort());
  await expect(
    uploadMedia(client(), new Blob(['x']), { onProgress() {}, signal: stop.signal }),
  ).rejects.toMatchObject({ name: 'AbortError' });
});
