import { readdirSync, readFileSync } from 'node:fs';
import { eventually } from '@waybill/testing';
import { createRenderer, type Renderer } from '../src/documents/rendering/renderer.ts';
import { documents } from './sample-documents.ts';

let renderer: Renderer;
beforeAll(() => {
  renderer = createRenderer();
});
afterAll(() => renderer.close());

const content = documents.paid!;
const render = () => renderer.render({ content, logo: null });

/** Returns the nice value of each thread of a process; 19 is the lowest priority. */
const readPriorities = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });

test('documents are rendered by a low-priority process without secrets', async () => {
  const { pdf, xml } = await render();
  expect(Buffer.from(pdf.subarray(0, 5)).toString()).toBe('%PDF-');
  expect(xml).toContain('CrossIndustryInvoice');
  const pid = renderer.pid!;
  expect(pid).not.toBe(process.pid);
  if (process.platform !== 'linux') return;
  expect(new Set(readPriorities(pid))).toEqual(new Set([19]));
  const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .map((each) => each.split('=')[0]);
  expect(names.filter((name) => name && !/^(NODE_CHANNEL|TINYPOOL)_/.test(name))).toEqual([]);
});

test('one that is killed, at work or idle, is followed by another', async () => {
  await render();
  const before = renderer.pid!;
  const cut = render().catch((error: Error) => error);
  process.kill(before, 'SIGKILL');
  expect(await cut).toBeInstanceOf(Error);
  expect((await render()).pdf.length).toBeGreaterThan(10_000);
  const next = renderer.pid!;
  expect(next).not.toBe(before);
  process.kill(next, 'SIGKILL');
  await eventually(() => renderer.pid === undefined);
  expect((await render()).pdf.length).toBeGreaterThan(10_000);
});
