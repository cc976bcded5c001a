import { type PageDocument, type PageNode, vocabulary } from '@waybill/page';
import { queries } from '../../api/queries.ts';
import type { EditorWords } from '../../texts/en/editor.ts';
import type { SampleTexts } from '../../texts/en/editor-samples.ts';
import { insert } from '../core/commands.ts';
import {
  describeFragments,
  findInsertPosition,
  findRefusal,
  findSectionPosition,
  type InsertPosition,
} from '../core/drop.ts';
import { applyChanges } from '../workbench/actions.ts';
import { type Names, starterDataQuery } from '../workbench/queries.ts';
import type { Workbench } from '../workbench/workbench.ts';
import { lookUpWord } from './names.ts';
import { starterIds } from './starter-ids.ts';
import type { StarterContext } from './starters.ts';

let starters: (typeof import('./starters.ts') & { samples: SampleTexts }) | undefined;

/** Loads the code that creates elements, and their texts in the chosen language, before one is created. */
export async function loadStarters(): Promise<void> {
  const [code, { readSampleTexts }] = await Promise.all([
    import('./starters.ts'),
    import('./sample-texts.ts'),
  ]);
  starters = { ...code, samples: await readSampleTexts() };
}

/** Something that can be inserted into the page. */
export interface Insertable {
  readonly id: string;
  readonly text: string;
  readonly detail?: string;
  /** The element type whose icon it has. */
  readonly type: string;
  readonly group: InsertGroup;
  /** The icon that its app names. */
  readonly blockIcon?: string | undefined;
  /** Whether it goes beside the other parts of the page and never inside one. */
  readonly isSection: boolean;
  /** Requires `loadStarters`. */
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

/**
 * Returns everything that can be inserted: elements of the vocabulary, ready-made sections, apps' blocks, global
 * sections.
 */
export function listInsertables(words: EditorWords, names: Names, subjectId: string): Insertable[] {
  return [
    ...starterIds.map((id) => ({
      id: `starter ${id}`,
      text: words.starters[id],
      type: 'section',
      group: 'starters' as const,
      isSection: true,
      createFragment: (context: StarterContext) => starters!.starterFragment(id, starters!.samples, context),
    })),
    ...Object.keys(vocabulary.elementTypes)
      .filter((type) => type !== 'blockRef' && type !== 'sectionRef')
      .map((type) => ({
        id: `element ${type}`,
        text: lookUpWord(words.elements, type),
        type,
        group: groupByType[type] ?? ('more' as const),
        isSection: type === 'section',
        createFragment: (context: StarterContext) =>
          starters!.elementFragment(type, starters!.samples, context),
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
    // A section cannot contain itself.
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

/** Returns the store's data for ready-made sections, as far as it has been read. */
export function createStarterContext({ editor, storeId, subject }: Workbench): StarterContext {
  const starterData = queries.getQueryData(starterDataQuery(storeId).queryKey);
  const { nodes } = editor.state.tree;
  const isMainHeading = ({ type, props }: PageNode) => type === 'heading' && props?.specials?.level === 1;
  return {
    productIds: starterData?.productIds ?? [],
    picture: starterData?.picture ?? null,
    hasMainHeading: subject.kind !== 'page' || [...nodes.values()].some(isMainHeading),
  };
}

/**
 * Inserts something at the requested place, else next to the selection, and selects it. If it is not allowed there,
 * shows the reason and returns false.
 */
export async function insertIntoDocument(
  workbench: Workbench,
  insertable: Insertable,
  at?: InsertPosition,
): Promise<boolean> {
  const { editor, words, storeId } = workbench;
  await loadStarters();
  // Without this data a section is made with sample content.
  if (insertable.group === 'starters' || insertable.group === 'shop')
    await queries.ensureQueryData(starterDataQuery(storeId)).catch(() => {});
  const { tree, selection } = editor.state;
  const fragment = insertable.createFragment(createStarterContext(workbench));
  const payload = describeFragments([fragment]);
  const requested = insertable.isSection ? findSectionPosition(tree, at ? [at.parentId] : selection, at) : at;
  const refusal = requested && findRefusal(vocabulary, tree, requested.parentId, payload);
  const position = refusal
    ? undefined
    : (requested ?? findInsertPosition(vocabulary, tree, selection, payload));
  if (!position) {
    const message = words.noPlace({ name: insertable.text });
    workbench.refuse({ pointer: '', message });
    return false;
  }
  const changes = insert(tree, position.parentId, position.index, fragment);
  return applyChanges(workbench, words.inserted({ name: insertable.text }), changes, [fragment.rootId]);
}
