import { type FieldValues, findChanges } from '../../shell/custom-fields/queries.ts';
import { blankRule, type DraftRule, toRule } from './draft-rule.ts';
import type { Category } from './queries.ts';

/** The values of a category's form. */
export interface CategoryInput {
  name: string;
  slug: string;
  description: string;
  kind: Category['kind'];
  rule: DraftRule;
  sortBy: Category['sort']['by'];
  sortDir: Category['sort']['dir'];
  parentId: string;
  /** Position counted from 1. Null: at the end. */
  position: number | null;
  imageMediaId: string | null;
  seoTitle: string;
  seoDescription: string;
  seoImage: string | null;
  customFields: FieldValues;
}

/** Returns the form of a new category below a parent. */
export const blankFor = (parentId: string): CategoryInput => ({
  name: '',
  slug: '',
  description: '',
  kind: 'manual',
  rule: blankRule,
  sortBy: 'manual',
  sortDir: 'asc',
  parentId,
  position: null,
  imageMediaId: null,
  seoTitle: '',
  seoDescription: '',
  seoImage: null,
  customFields: {},
});

export const toInput = ({
  sort,
  seo,
  rule,
  parentId,
  position,
  customFields,
  ...rest
}: Category): CategoryInput => ({
  name: rest.name,
  slug: rest.slug,
  description: rest.description,
  kind: rest.kind,
  rule: rule ?? blankRule,
  sortBy: sort.by,
  sortDir: sort.dir,
  parentId: parentId ?? '',
  position: position + 1,
  imageMediaId: rest.imageMediaId,
  seoTitle: seo.title,
  seoDescription: seo.description,
  seoImage: seo.imageMediaId,
  customFields: customFields as FieldValues,
});

/** Builds the request body of a save. An unchanged position is not sent, because others may have moved the category. */
export function buildBody(value: CategoryInput, base: CategoryInput | null) {
  const isManual = value.kind === 'manual';
  const sortBy = !isManual && value.sortBy === 'manual' ? 'name' : value.sortBy;
  const isPlaced = base === null || base.parentId !== value.parentId;
  const hasPosition = value.position !== null && base?.position !== value.position;
  return {
    name: value.name,
    ...(value.slug && { slug: value.slug }),
    description: value.description,
    ...(isPlaced && { parentId: value.parentId || null }),
    ...(hasPosition && { position: value.position! - 1 }),
    imageMediaId: value.imageMediaId,
    ...(!isManual && { rule: toRule(value.rule) }),
    sort: { by: sortBy, dir: value.sortDir },
    seo: { title: value.seoTitle, description: value.seoDescription, imageMediaId: value.seoImage },
    customFields: findChanges(base?.customFields, value.customFields),
  };
}
