import type { Json } from '@waybill/page';
import { urlOf } from '../../editor/core/clipboard-html.ts';
import { blocksOf, type HtmlNode } from '../../editor/core/foreign-html.ts';

/** What another program has copied, as the editor of pages takes it, but for its links: addresses here. */
export const foreignBlocks = (body: HtmlNode): Json[] =>
  JSON.parse(JSON.stringify(blocksOf(body)), (key, value) => (key === 'href' ? urlOf(value) : value));
