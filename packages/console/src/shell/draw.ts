import { type QueryKey, queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { explainProblems } from '../texts/common.ts';

/** A document as HTML with its style sheet, including the base styles. */
export interface Drawn {
  html: string;
  css: string;
}

interface Rendered {
  html: string;
  css: string;
}

/** Completes the renderer's output as a page does: with the base style sheet, inside a main landmark. */
export async function asPage({ html, css }: Rendered): Promise<Drawn> {
  const { pageStyle } = await import('./renderer.ts');
  return { html: html.includes('<main ') ? html : `<main>${html}</main>`, css: pageStyle(css) };
}

/**
 * Renders a document as publishing it now would show it, from the sources that the server resolved (`decisions.md
 * 13.6`).
 */
async function drawDocument(
  document: unknown,
  canvas: Promise<Model<'Canvas'>>,
): Promise<Drawn & Pick<Model<'Canvas'>, 'problems'>> {
  const [{ renderDocument }, { sources, problems }] = await Promise.all([import('./renderer.ts'), canvas]);
  type Arguments = Parameters<typeof renderDocument>;
  const rendered = renderDocument(document as Arguments[0], sources as unknown as Arguments[1]);
  return { ...(await asPage(rendered)), problems: [...(await explainProblems(problems))] };
}

/** A query that reads a document, has the server resolve its sources and renders it. */
export const lookQuery = (
  queryKey: QueryKey,
  readDocument: (signal: AbortSignal) => Promise<unknown>,
  prepare: (document: unknown, signal: AbortSignal) => Promise<Model<'Canvas'>>,
) =>
  queryOptions({
    queryKey: [...queryKey, 'look'],
    async queryFn({ signal }) {
      const document = await readDocument(signal);
      return drawDocument(document, prepare(document, signal));
    },
  });
