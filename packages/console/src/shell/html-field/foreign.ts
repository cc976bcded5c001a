import type { Json } from '@waybill/page';
import { toUrl } from '../../editor/core/clipboard-html.ts';
import { convertToBlocks, type HtmlNode } from '../../editor/core/foreign-html.ts';

/** Converts HTML copied from another program to blocks, as the page editor does, but with links as plain addresses. */
export const foreignBlocks = (body: HtmlNode): Json[] =>
  JSON.parse(JSON.stringify(convertToBlocks(body)), (key, value) => (key === 'href' ? toUrl(value) : value));
