import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@waybill/testing';
import sharp from 'sharp';
import { examineFile } from '../src/uploads/examine.ts';
import { createExaminer } from '../src/uploads/examiner.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-examine-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function createQuestion(text: string, { keepsMetadata = false } = {}) {
  const path = join(folder, 'file');
  const bytes = Buffer.from(text);
  await writeFile(path, bytes);
  return {
    path,
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    keepsMetadata,
  };
}

const personal = `<?xml version="1.0"?>
<!DOCTYPE svg [<!ENTITY ns_ai "http://ns.adobe.com/AdobeIllustrator/10.0/">]>
<!-- by Ada 😀 -->
<svg xmlns="http://www.w3.org/2000/svg" xmlns:i="&ns_ai;"
  xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"
  xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"\r
  width="10" inkscape:export-filename = '/home/ada/x.png' sodipodi:docname="a>Ada.svg" height="10">
<metadata id="m"><x>Ada<!-- y --><metadata/></x></metadata>
<sodipodi:namedview id="n"><inkscape:grid name="Ada"/></sodipodi:namedview>
<title>Tea ü</title><g inkscape:label="Ada" id="g" i:x='1'/><metadata/><rect width="1" inkscape:x="&lt;"/>
</svg>`;

describe('the metadata of an SVG', () => {
  test('is removed with comments and editors’ data; the visible content stays', async () => {
    const question = await createQuestion(personal);
    const examined = await examineFile(question);
    const stored = await readFile(question.path, 'utf8');
    expect(examined).toMatchObject({
      identity: { contentType: 'image/svg+xml', width: 10, height: 10 },
      sizeBytes: Buffer.byteLength(stored),
      sha256: createHash('sha256').update(stored).digest('hex'),
    });
    expect(stored).not.toMatch(/ada|metadata|<!--|namedview|label/i);
    expect(stored).toContain('<title>Tea ü</title><g id="g"/><rect width="1"/>');
    expect(await examineFile(await createQuestion(stored))).toEqual(examined);
  });

  test('is also removed from embedded pictures, in any notation of base64', async () => {
    const photo = await sharp({ create: { width: 4, height: 2, channels: 3, background: 'red' } })
      .withMetadata({ orientation: 6 })
      .withExifMerge({ IFD0: { Artist: 'Ada Lovelace' } })
      .jpeg()
      .toBuffer();
    const inner = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg"><metadata>Ada</metadata><rect width="1"/></svg>',
    );
    const lines = photo.toString('base64').replaceAll(/.{76}/g, '$&&#xA;');
    const held = (address: string) => `<image href="${address}"/>`;
    const text = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${[
      held(`data:image/jpeg;base64,${photo.toString('base64')}`),
      held(`DATA:image/JPG;charset=utf-8;base64,${lines}`),
      held(`data:image/svg+xml;base64,${inner.toString('base64')}`),
      held('data:image/png;base64,not base64 at all'),
      `<animate attributeName="href" values="${[photo, photo].map((each) => `data:image/jpeg;base64,${each.toString('base64')}`).join(';')}"/>`,
      `<style>g{background:url(data:image/jpeg;base64,${photo.toString('base64')})}</style>`,
    ].join('')}</svg>`;
    const question = await createQuestion(text);
    await examineFile(question);
    const stored = await readFile(question.path, 'utf8');
    expect(stored).toContain('data:image/png;base64,not base64 at all');
    const pictures = [...stored.matchAll(/base64,([A-Za-z0-9+/=]{40,})/g)].map(([, base64]) =>
      Buffer.from(base64!, 'base64'),
    );
    expect(pictures).toHaveLength(6);
    for (const picture of pictures) expect(picture.includes('Ada')).toBe(false);
    // The orientation stays.
    for (const i of [0, 1, 3, 4, 5])
      expect(await sharp(pictures[i]!).metadata()).toMatchObject({ width: 4, height: 2, orientation: 6 });
    expect(pictures[2]!.toString()).toContain('<rect width="1"/>');
  });

  test('stays if the store keeps metadata', async () => {
    const question = await createQuestion(personal, { keepsMetadata: true });
    expect(await examineFile(question)).toMatchObject({
      sha256: question.sha256,
      sizeBytes: question.sizeBytes,
    });
    expect(await readFile(question.path, 'utf8')).toBe(personal);
  });
});

test('a file that takes too long is refused, and the next one gets a new thread', async () => {
  const examiner = createExaminer({ deadlineMs: 1_000 });
  try {
    const slow = `<svg xmlns="http://www.w3.org/2000/svg"><!---->${'<g/>'.repeat(5_000_000)}</svg>`;
    await expect(examiner.examine('store', await createQuestion(slow))).rejects.toMatchObject({
      code: 'unsupported_type',
      message: 'The file takes too long to examine.',
    });
    const small = await createQuestion('<svg xmlns="http://www.w3.org/2000/svg" width="3"/>');
    // A new thread takes a while to start on a busy machine.
    await eventually(async () => {
      const { identity } = await examiner.examine('store', small);
      return identity.width === 3;
    });
  } finally {
    await examiner.close();
  }
});
