import { type PageDocument, type PageNode, vocabulary } from '@waybill/page';
import { queries } from '../../api/queries.ts';
import type { EditorWords } from '../../texts/en/editor.ts';
import { insert } from '../core/commands.ts';
import { type InsertPlace, insertPlace, loadOf, placeOfSection, refusalAt } from '../core/drop.ts';
import { applyChanges } from '../screen/actions.ts';
import { type Names, starterThingsQuery } from '../screen/queries.ts';
import type { Workbench } from '../screen/workbench.ts';
import { wordFor } from './names.ts';
import { starterIds } from './starter-ids.ts';
import type { StarterContext } from './starters.ts';

let starters: typeof import('./starters.ts') | undefined;

/** Reads what elements are made of, before one is made. */
export async function loadStarters(): Promise<void> {
  starters ??= await import('./starters.ts');
}

/** Something that can be put on the page. */
export interface Insertable {
  readonly id: string;
  readonly text: string;
  readonly detail?: string;
  /** Whose sign it has. */
  readonly type: string;
  readonly group: InsertGroup;
  /** As its app names it. */
  readonly blockIcon?: string | undefined;
  /** It stands beside the other parts of the page, and never inside one. */
  readonly isSection: boolean;
  /** Once `loadStarters` has come. */
  createFragment(context: StarterContext): PageDocument;
}

export const insertGroups = [
  'starters',
  'boxes',
  'texts',
  'pictures',
  'shop',
  'articles',
  'site',
  'forms',
  'more',
  'blocks',
  'sections',
] as const;
export type InsertGroup = (typeof insertGroups)[number];

const groupByType: Readonly<Record<string, InsertGroup>> = {
  section: 'boxes',
  container: 'boxes',
  stack: 'boxes',
  grid: 'boxes',
  heading: 'texts',
  text: 'texts',
  richText: 'texts',
  list: 'texts',
  button: 'texts',
  link: 'texts',
  image: 'pictures',
  gallery: 'pictures',
  video: 'pictures',
  icon: 'pictures',
  embed: 'pictures',
  product: 'shop',
  productImage: 'shop',
  productTitle: 'shop',
  price: 'shop',
  variantPicker: 'shop',
  quantityField: 'shop',
  addToCart: 'shop',
  productList: 'shop',
  cartButton: 'shop',
  productGallery: 'shop',
  productDescription: 'shop',
  productFilters: 'shop',
  categoryTitle: 'shop',
  categoryImage: 'shop',
  categoryDescription: 'shop',
  categoryList: 'shop',
  productField: 'shop',
  categoryField: 'shop',
  articleList: 'articles',
  articleTitle: 'articles',
  articleImage: 'articles',
  articleDate: 'articles',
  articleExcerpt: 'articles',
  articleBody: 'articles',
  articleField: 'articles',
  menu: 'site',
  breadcrumbs: 'site',
  searchField: 'site',
  languageSwitch: 'site',
  form: 'forms',
  field: 'forms',
  select: 'forms',
  checkbox: 'forms',
};

/** All that can be put on the page: what the vocabulary has, what is ready made, apps' blocks, global sections. */
export function insertables(words: EditorWords, names: Names, subjectId: string): Insertable[] {
  return [
    ...starterIds.map((id) => ({
      id: `starter ${id}`,
      text: words.starters[id],
      type: 'section',
      group: 'starters' as const,
      isSection: true,
      createFragment: (context: StarterContext) => starters!.starterFragment(id, words, context),
    })),
    ...Object.keys(vocabulary.elementTypes)
      .filter((type) => type !== 'blockRef' && type !== 'sectionRef')
      .map((type) => ({
        id: `element ${type}`,
        text: wordFor(words.elements, type),
        type,
        group: groupByType[type] ?? ('more' as const),
        isSection: type === 'section',
        createFragment: (context: StarterContext) => starters!.elementFragment(type, words, context),
      })),
    ...[...names.blocks.values()].map(({ appId, appName, key, name, icon }) => ({
      blockIcon: icon ?? undefined,
      id: `block ${appId} ${key}`,
      text: name,
      detail: appName,
      type: 'blockRef',
      group: 'blocks' as const,
      isSection: false,
      createFragment: () => starters!.blockFragment(appId, key),
    })),
    // A section cannot hold itself.
    ...[...names.sections.values()]
      .filter(({ id }) => id !== subjectId)
      .map(({ id, name }) => ({
        id: `section ${id}`,
        text: name,
        type: 'sectionRef',
        group: 'sections' as const,
        isSection: false,
        createFragment: () => starters!.sectionFragment(id),
      })),
  ];
}

/** What ready-made sections are made with, of what has been read by now. */
export function starterContext({ editor, storeId, subject }: Workbench): StarterContext {
  const things = queries.getQueryData(starterThingsQuery(storeId).queryKey);
  const { nodes } = editor.state.tree;
  const isMain = ({ type, props }: PageNode) => type === 'heading' && props?.specials?.level === 1;
  return {
    productIds: things?.productIds ?? [],
    picture: things?.picture ?? null,
    hasMainHeading: subject.kind !== 'page' || [...nodes.values()].some(isMain),
  };
}

/** Puts it where it is asked for, else next to what is selected, and selects it; or says why it may not stand there. */
export async function insertHere(
  workbench: Workbench,
  thing: Insertable,
  at?: InsertPlace,
): Promise<boolean> {
  const { editor, words, storeId } = workbench;
  await loadStarters();
  // Without them a section is made with samples.
  if (thing.group === 'starters' || thing.group === 'shop')
    await queries.ensureQueryData(starterThingsQuery(storeId)).catch(() => {});
  const { tree, selection } = editor.state;
  const fragment = thing.createFragment(starterContext(workbench));
  const load = loadOf([fragment]);
  const asked = thing.isSection ? placeOfSection(tree, at ? [at.parentId] : selection, at) : at;
  const refusal = asked && refusalAt(vocabulary, tree, asked.parentId, load);
  const place = refusal ? undefined : (asked ?? insertPlace(vocabulary, tree, selection, load));
  if (!place) {
    const message = words.noPlace(thing.text);
    workbench.refuse({ pointer: '', message });
    return false;
  }
  const changes = insert(tree, place.parentId, place.index, fragment);
  return applyChanges(workbench, words.inserted(thing.text), changes, [fragment.rootId]);
}
