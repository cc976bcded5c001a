import { developmentIslandPath, islandPath } from '@waybill/contracts';
import {
  factsOf,
  type IslandModule,
  type Rendered,
  type RenderOptions,
  render,
  rendererVersion,
  resolve,
  type SentForm,
  type TreeNode,
} from '@waybill/page';
import { documentOwner } from '../owners/owner.ts';
import {
  type Localisation,
  localSources,
  own,
  type PagePlace,
  type PageSources,
  placedSources,
} from './sources.ts';

/** A page as visitors get it, without the document around it. */
export interface RenderedPage extends Rendered {
  islands: IslandModule[];
  /** Where these may connect to, beside the page's own origin; not there in what was made before they could say. */
  connectOrigins?: string[];
}

export const withoutIslands = (rendered: Rendered): RenderedPage => ({ ...rendered, islands: [] });

/** Leads from a live page to where pages are: an article's is one step below. */
export const toPages = (id: string) => (documentOwner(id).kind === 'article' ? '../' : './');

export interface PageRenderOptions extends Pick<RenderOptions, 'landmark'> {
  local?: Localisation | undefined;
  place?: PagePlace;
  toPages?: string;
  /** Of a form that is shown again by itself. */
  sent?: SentForm;
}

/**
 * Makes the live page of a page or an article, whose id it has, of its tree and the sources that the tree was made with
 * alone: the same ones give the same bytes, whenever and wherever.
 */
export function renderPage(
  id: string,
  tree: TreeNode | undefined,
  sources: PageSources,
  { local, place = {}, toPages: way = toPages(id), landmark, sent }: PageRenderOptions = {},
): RenderedPage {
  if (!tree) return withoutIslands({ html: '', css: '' });
  const shown = local ? localSources(sources, local) : sources;
  const around = { ...place, ...(local && { locale: local.locale }) };
  const facts = { ...factsOf(placedSources(shown, id, way, around)), ...(sent && { sent }) };
  const resolved = resolve(tree, local ? { ...facts, translate: local.translateNode } : facts);
  const rendered = render(resolved, landmark ? { landmark } : {});
  return { ...rendered, ...islandsOf(tree, sources) };
}

/** The modules of the islands in a tree, each once, by name, and where their apps' versions let them connect to. */
function islandsOf(tree: TreeNode, { apps }: PageSources): Pick<RenderedPage, 'islands' | 'connectOrigins'> {
  const found = new Map<string, IslandModule>();
  const origins = new Set<string>();
  const visit = ({ island, children }: TreeNode) => {
    const [, appId, name] = /^app\.([^.]+)\.(.+)$/.exec(island ?? '') ?? [];
    const app = appId && own(apps, appId);
    const sha256 = app && name && own(app.islands, name);
    if (island && sha256) {
      const { developmentStoreId: storeId, connectOrigins = [] } = app;
      const src = storeId ? developmentIslandPath(storeId, sha256) : islandPath(sha256);
      const integrity = `sha256-${Buffer.from(sha256, 'hex').toString('base64')}`;
      found.set(island, { name: island, src, integrity });
      for (const origin of connectOrigins) origins.add(origin);
    }
    for (const child of children) visit(child);
  };
  visit(tree);
  const islands = [...found.keys()].sort().map((name) => found.get(name)!);
  return { islands, connectOrigins: [...origins].sort() };
}

/** Who makes pages here: live pages that another renderer has made are made again. */
export const renderer = String(rendererVersion);
