import type { BlockRendering } from '@waybill/contracts';
import type { Context } from '../config.ts';
import type { Block } from '../contributions/manifest.ts';
import { errors } from '../errors.ts';
import { findBlocks, findNewestApproved, type VersionRow } from '../versions/queries.ts';
import type { BlockRenderings } from './routes.ts';

/** Maximum number of bytes of a body that a service accepts. */
const maxRequestBytes = 1024 * 1024;
/** Maximum number of characters of HTML and style sheets in an answer; the rest is cut. */
const maxRenderedLength = 8 * 1024 * 1024;

/**
 * Renders each block of a version, and of the approved version before it, through the content service
 * (`decisions.md 14.9`).
 * @throws resource_unavailable
 */
export async function renderBlocks(context: Context, version: VersionRow): Promise<BlockRenderings[]> {
  const { db } = context;
  const approved = await findNewestApproved(db, version.app_id, version.number);
  const [earlier, current] = await Promise.all([
    approved ? findBlocks(db, approved.id) : [],
    findBlocks(db, version.id),
  ]);
  const [earlierByKey, currentByKey] = [groupByKey(earlier), groupByKey(current)];
  let remaining = maxRenderedLength;
  // Blocks are rendered one after the other: each may be a mebibyte, and reviewers are few.
  const render = async (block: Block | undefined): Promise<BlockRendering | null | 'cut'> => {
    if (!block) return null;
    const rendering = remaining > 0 ? await renderBlock(context, version.app_id, block) : 'cut';
    if (rendering === 'cut') return 'cut';
    remaining -= rendering.html.length + rendering.css.length;
    return remaining < 0 ? 'cut' : rendering;
  };
  const toRendering = (rendering: BlockRendering | null | 'cut') => (rendering === 'cut' ? null : rendering);
  const renderings: BlockRenderings[] = [];
  for (const key of new Set([...currentByKey.keys(), ...earlierByKey.keys()])) {
    const [after, before] = [await render(currentByKey.get(key)), await render(earlierByKey.get(key))];
    renderings.push({
      key,
      name: (currentByKey.get(key) ?? earlierByKey.get(key))!.name,
      before: toRendering(before),
      after: toRendering(after),
      isCut: before === 'cut' || after === 'cut',
    });
  }
  return renderings;
}

const groupByKey = (blocks: readonly Block[]) => new Map(blocks.map((block) => [block.key, block]));

async function renderBlock(
  { peers }: Context,
  appId: string,
  { rootId, nodes, slots, traits }: Block,
): Promise<BlockRendering | 'cut'> {
  const body = { appId, block: { rootId, nodes, slots, traits } };
  if (Buffer.byteLength(JSON.stringify(body)) > maxRequestBytes) return 'cut';
  const rendering = await peers.call<BlockRendering>('content', 'POST', '/internal/block-renderings', body);
  if (!rendering) throw errors.resource_unavailable();
  return rendering;
}
