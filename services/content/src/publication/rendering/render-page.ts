import { developmentIslandPath, islandPath } from '@waybill/contracts';
import {
  type IslandModule,
  type Rendered,
  type RenderOptions,
  render,
  rendererVersion,
  resolve,
  type SentForm,
  type TreeNode,
  toFacts,
} from '@waybill/page';
import { documentOwner } from '../owners/owner.ts';
import {
  getOwnMember,
  type Localisation,
  localiseSources,
  type PageContext,
  type PageSources,
  toDocumentSources,
} from './sources.ts';

/** A page as visitors get it, without the document around it. */
export interface RenderedPage extends Rendered {
  islands: IslandModule[];
  /**
   * The origins that the islands may connect to, besides the page's own; absent in pages from before these were
   * declared.
   */
  connectOrigins?: string[];
}

export const withoutIslands = (rendered: Rendered): RenderedPage => ({ ...rendered, islands: [] });

/** Returns the path from a live page to the directory of pages: an article is one step below. */
export const toPages = (id: string) => (documentOwner(id).kind === 'article' ? '../' : './');

export interface PageRenderOptions extends Pick<RenderOptions, 'landmark'> {
  local?: Localisation | undefined;
  place?: PageContext;
  toPages?: string;
  /** The values of a form that is shown again by itself. */
  sent?: SentForm;
}

/**
 * Renders the live page of a page or an article, whose id it gets, from its tree and the sources of that tree alone.
 * The same input always gives the same bytes.
 */
export function renderPage(
  id: string,
  tree: TreeNode | undefined,
  sources: PageSources,
  { local, place = {}, toPages: pathToPages = toPages(id), landmark, sent }: PageRenderOptions = {},
): RenderedPage {
  if (!tree) return withoutIslands({ html: '', css: '' });
  const localised = local ? localiseSources(sources, local) : sources;
  const placeContext = { ...place, ...(local && { locale: local.locale }) };
  const facts = {
    ...toFacts(toDocumentSources(localised, id, pathToPages, placeContext)),
    ...(sent && { sent }),
  };
  const resolved = resolve(tree, local ? { ...facts, translate: local.translateNode } : facts);
  const rendered = render(resolved, landmark ? { landmark } : {});
  return { ...rendered, ...collectIslands(tree, sources) };
}

/**
 * Returns the modules of the islands in a tree, without duplicates and by name, and the origins that their apps'
 * versions may connect to.
 */
function collectIslands(
  tree: TreeNode,
  { apps }: PageSources,
): Pick<RenderedPage, 'islands' | 'connectOrigins'> {
  const found = new Map<string, IslandModule>();
  const origins = new Set<string>();
  const visit = ({ island, children }: TreeNode) => {
    const [, appId, name] = /^app\.([^.]+)\.(.+)$/.exec(island ?? '') ?? [];
    const app = appId && getOwnMember(apps, appId);
    const sha256 = app && name && getOwnMember(app.islands, name);
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

/** The version of the renderer. Live pages of another version are rendered again. */
export const renderer = String(rendererVersion);
