import { type PageDocument, vocabulary } from '@waybill/page';
import type { EditorWords } from '../../texts/en/editor.ts';
import { insert } from '../model/commands.ts';
import { type InsertPlace, insertPlace, loadOf, refusalAt } from '../model/drop.ts';
import { perform } from '../screen/actions.ts';
import type { Names } from '../screen/queries.ts';
import type { Workbench } from '../screen/workbench.ts';
import { wordFor } from './names.ts';
import { blockFragment, elementFragment, sectionFragment, starterFragment, starterIds } from './starters.ts';

/** Something that can be put on the page. */
export interface Insertable {
  readonly id: string;
  readonly text: string;
  readonly detail?: string;
  /** Whose sign it has. */
  readonly type: string;
  readonly group: InsertGroup;
  make(): PageDocument;
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
  addToCart: 'shop',
  productList: 'shop',
  cartButton: 'shop',
  productGallery: 'shop',
  productDescription: 'shop',
  articleList: 'articles',
  articleTitle: 'articles',
  articleImage: 'articles',
  articleDate: 'articles',
  articleExcerpt: 'articles',
  articleBody: 'articles',
  menu: 'site',
  breadcrumbs: 'site',
  searchField: 'site',
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
      make: () => starterFragment(id, words),
    })),
    ...Object.keys(vocabulary.elementTypes)
      .filter((type) => type !== 'blockRef' && type !== 'sectionRef')
      .map((type) => ({
        id: `element ${type}`,
        text: wordFor(words.elements, type),
        type,
        group: groupByType[type] ?? ('more' as const),
        make: () => elementFragment(type, words),
      })),
    ...[...names.blocks.values()].map(({ appId, appName, key, name }) => ({
      id: `block ${appId} ${key}`,
      text: name,
      detail: appName,
      type: 'blockRef',
      group: 'blocks' as const,
      make: () => blockFragment(appId, key),
    })),
    // A section cannot hold itself.
    ...[...names.sections.values()]
      .filter(({ id }) => id !== subjectId)
      .map(({ id, name }) => ({
        id: `section ${id}`,
        text: name,
        type: 'sectionRef',
        group: 'sections' as const,
        make: () => sectionFragment(id),
      })),
  ];
}

/** Puts it where it is asked for, else next to what is selected, and selects it; or says why it may not stand there. */
export function insertHere(workbench: Workbench, thing: Insertable, at?: InsertPlace): boolean {
  const { editor, words } = workbench;
  const { tree, selection } = editor.state;
  const fragment = thing.make();
  const load = loadOf([fragment]);
  const refusal = at && refusalAt(vocabulary, tree, at.parentId, load);
  const place = refusal ? undefined : (at ?? insertPlace(vocabulary, tree, selection, load));
  if (!place) {
    const message = words.noPlace(thing.text);
    workbench.refuse({ pointer: '', message });
    return false;
  }
  const changes = insert(tree, place.parentId, place.index, fragment);
  return perform(workbench, words.inserted(thing.text), changes, [fragment.rootId]);
}
