import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@waybill/testing';
import { examine } from '../src/uploads/examine.ts';
import { createExaminer } from '../src/uploads/examiner.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-examine-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function questionOf(text: string, { keepsMetadata = false } = {}) {
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
  test('goes with comments and what editors write for themselves; what shows stays', async () => {
    const question = await questionOf(personal);
    const examined = await examine(question);
    const stored = await readFile(question.path, 'utf8');
    expect(examined).toMatchObject({
      identity: { contentType: 'image/svg+xml', width: 10, height: 10 },
      sizeBytes: Buffer.byteLength(stored),
      sha256: createHash('sha256').update(stored).digest('hex'),
    });
    expect(stored).not.toMatch(/ada|metadata|<!--|namedview|label/i);
    expect(stored).toContain('<title>Tea ü</title><g id="g"/><rect width="1"/>');
    expect(await examine(await questionOf(stored))).toEqual(examined);
  });

  test('stays where everything is kept', async () => {
    const question = await questionOf(personal, { keepsMetadata: true });
    expect(await examine(question)).toMatchObject({ sha256: question.sha256, sizeBytes: question.sizeBytes });
    expect(await readFile(question.path, 'utf8')).toBe(personal);
  });
});

test('a file that takes too long is refused, and the next one has a thread of its own', async () => {
  const examiner = createExaminer({ deadlineMs: 1_000 });
  try {
    const slow = `<svg xmlns="http://www.w3.org/2000/svg"><!---->${'<g/>'.repeat(5_000_000)}</svg>`;
    await expect(examiner.examine('store', await questionOf(slow))).rejects.toMatchObject({
      code: 'unsupported_type',
      message: 'The file takes too long to examine.',
    });
    const small = await questionOf('<svg xmlns="http://www.w3.org/2000/svg" width="3"/>');
    // A new thread takes a while to start where much else runs.
    await eventually(async () => {
      const { identity } = await examiner.examine('store', small);
      return identity.width === 3;
    });
  } finally {
    await examiner.close();
  }
});
