import type { Json } from '@waybill/page';
import { urlOf } from '../../editor/core/clipboard-html.ts';
import { blocksOf, type HtmlNode } from '../../editor/core/foreign-html.ts';

/** Converts HTML copied from another program to blocks, as the page editor does, but with links as plain addresses. */
export const foreignBlocks = (body: HtmlNode): Json[] =>
  JSON.parse(JSON.stringify(blocksOf(body)), (key, value) => (key === 'href' ? urlOf(value) : value));
