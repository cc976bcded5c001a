import { constants, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import type { DocumentContent } from '../content.ts';
import { hasXml } from '../content.ts';
import { renderPdf } from './pdf.ts';
import { renderXml } from './xml.ts';

/** What the files of a document are made of. */
export interface RenderTask {
  content: DocumentContent;
  /** A PNG. */
  logo: Uint8Array | null;
}

export interface RenderedFiles {
  pdf: Uint8Array;
  xml: string | null;
}

// On Linux a thread has a priority of its own: where all processors are busy, requests go before documents.
if (!isMainThread && process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** Makes the files of a document: what a thread of the renderer runs. */
export default async function render({ content, logo }: RenderTask): Promise<RenderedFiles> {
  const xml = hasXml(content) ? renderXml(content) : null;
  return { pdf: new Uint8Array(await renderPdf(content, { xml, logo })), xml };
}
