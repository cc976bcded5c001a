import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { DocumentContent } from '../content.ts';
import { hasXml } from '../content.ts';
import { renderPdf } from './pdf.ts';
import { renderXml } from './xml.ts';

/** The inputs for the files of a document. */
export interface RenderTask {
  content: DocumentContent;
  /** A PNG. */
  logo: Uint8Array | null;
}

export interface RenderedFiles {
  pdf: Uint8Array;
  xml: string | null;
}

/**
 * Gives every thread of this process the lowest priority. On Linux each thread has its own, and V8 has already started
 * its threads.
 */
function giveWay(): void {
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
  for (const thread of threads) setPriority(thread, constants.priority.PRIORITY_LOW);
}
if (process.send) giveWay();

/** Makes the files of a document in the renderer's process. */
export default async function render({ content, logo }: RenderTask): Promise<RenderedFiles> {
  const xml = hasXml(content) ? renderXml(content) : null;
  return { pdf: new Uint8Array(await renderPdf(content, { xml, logo })), xml };
}
