import { constants, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';
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

// On Linux each thread has its own priority, so requests take precedence over documents when all processors are busy.
if (!isMainThread && process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** Makes the files of a document on a thread of the renderer. */
export default async function render({ content, logo }: RenderTask): Promise<RenderedFiles> {
  const xml = hasXml(content) ? renderXml(content) : null;
  return { pdf: new Uint8Array(await renderPdf(content, { xml, logo })), xml };
}
