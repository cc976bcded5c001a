import type { BlockRendering } from '@waybill/contracts';
import type { Context } from '../config.ts';
import type { Block } from '../contributions/manifest.ts';
import { errors } from '../errors.ts';
import { findBlocks, findNewestApproved, type VersionRow } from '../versions/queries.ts';
import type { BlockRenderings } from './routes.ts';

/** Maximum number of bytes of a body that a service accepts. */
const mostSent = 1024 * 1024;
/** Maximum number of characters of HTML and style sheets in an answer; the rest is cut. */
const mostShown = 8 * 1024 * 1024;

/**
 * Renders each block of a version, and of the approved version before it, through the content service
 * (`decisions.md 14.9`).
 * @throws resource_unavailable
 */
export async function renderBlocks(context: Context, version: VersionRow): Promise<BlockRenderings[]> {
  const { db } = context;
  const approved = await findNewestApproved(db, version.app_id, version.number);
  const [earlier, own] = await Promise.all([
    approved ? findBlocks(db, approved.id) : [],
    findBlocks(db, version.id),
  ]);
  const [was, is] = [byKey(earlier), byKey(own)];
  let left = mostShown;
  // Blocks are rendered one after the other: each may be a mebibyte, and reviewers are few.
  const draw = async (block: Block | undefined): Promise<BlockRendering | null | 'cut'> => {
    if (!block) return null;
    const drawn = left > 0 ? await drawBlock(context, version.app_id, block) : 'cut';
    if (drawn === 'cut') return 'cut';
    left -= drawn.html.length + drawn.css.length;
    return left < 0 ? 'cut' : drawn;
  };
  const shown = (drawn: BlockRendering | null | 'cut') => (drawn === 'cut' ? null : drawn);
  const renderings: BlockRenderings[] = [];
  for (const key of new Set([...is.keys(), ...was.keys()])) {
    const [after, before] = [await draw(is.get(key)), await draw(was.get(key))];
    renderings.push({
      key,
      name: (is.get(key) ?? was.get(key))!.name,
      before: shown(before),
      after: shown(after),
      isCut: before === 'cut' || after === 'cut',
    });
  }
  return renderings;
}

const byKey = (blocks: readonly Block[]) => new Map(blocks.map((block) => [block.key, block]));

async function drawBlock(
  { peers }: Context,
  appId: string,
  { rootId, nodes, slots, traits }: Block,
): Promise<BlockRendering | 'cut'> {
  const body = { appId, block: { rootId, nodes, slots, traits } };
  if (Buffer.byteLength(JSON.stringify(body)) > mostSent) return 'cut';
  const drawn = await peers.call<BlockRendering>('content', 'POST', '/internal/block-renderings', body);
  if (!drawn) throw errors.resource_unavailable();
  return drawn;
}
