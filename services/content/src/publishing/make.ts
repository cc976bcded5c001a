import { islandPath } from '@waybill/contracts';
import {
  type IslandModule,
  type PageDocument,
  type Rendered,
  render,
  rendererVersion,
  resolve,
  type TreeNode,
} from '@waybill/page';
import { factsOf, type Localisation, own, type PageSources, treeOf } from './sources.ts';

/** A page as visitors get it, without the document around it. */
export interface MadePage extends Rendered {
  islands: IslandModule[];
  /** Where these may connect to, beside the page's own origin; not there in what was made before they could say. */
  connectOrigins?: string[];
}

export const withoutIslands = (rendered: Rendered): MadePage => ({ ...rendered, islands: [] });

/** Leads from a live page to where pages are: an article's is one step below. */
const toPages = (id: string) => (id.startsWith('art_') ? '../' : './');

/**
 * Makes the live page of a page or an article, whose id it has, of its document and its sources alone: the same ones
 * give the same bytes, whenever and wherever.
 */
export function makePage(
  id: string,
  document: PageDocument,
  sources: PageSources,
  local?: Localisation,
): MadePage {
  const tree = treeOf(document, sources);
  if (!tree) return withoutIslands({ html: '', css: '' });
  const rendered = render(resolve(tree, factsOf(sources, toPages(id), local)));
  return { ...rendered, ...islandsOf(tree, sources) };
}

/** The modules of the islands in a tree, each once, by name, and where their apps' versions let them connect to. */
function islandsOf(tree: TreeNode, { apps }: PageSources): Pick<MadePage, 'islands' | 'connectOrigins'> {
  const found = new Map<string, IslandModule>();
  const origins = new Set<string>();
  const visit = ({ island, children }: TreeNode) => {
    const [, appId, name] = /^app\.([^.]+)\.(.+)$/.exec(island ?? '') ?? [];
    const sha256 = appId && name && own(own(apps, appId)?.islands ?? {}, name);
    if (island && appId && sha256) {
      const integrity = `sha256-${Buffer.from(sha256, 'hex').toString('base64')}`;
      found.set(island, { name: island, src: islandPath(sha256), integrity });
      for (const origin of apps[appId]!.connectOrigins ?? []) origins.add(origin);
    }
    for (const child of children) visit(child);
  };
  visit(tree);
  const islands = [...found.keys()].sort().map((name) => found.get(name)!);
  return { islands, connectOrigins: [...origins].sort() };
}

/** Who makes pages here: live pages that another renderer has made are made again. */
export const renderer = String(rendererVersion);
