import Type, { type Static } from 'typebox';
import { maxRuleConditions, ruleFields, ruleOperations } from './category-rules.ts';
import { CustomFieldValues } from './custom-fields.ts';
import { idPattern } from './ids.ts';
import { Seo, Timestamp } from './resources.ts';

export const RuleCondition = Type.Object({
  field: Type.String({
    description: `One of ${ruleFields.join(', ')}, or customField.<key>.`,
    examples: ['tag'],
  }),
  op: Type.Enum([...ruleOperations], { examples: ['is'] }),
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean()], { examples: ['black'] }),
});
export type RuleCondition = Static<typeof RuleCondition>;

/** The rule that decides which products a category of the kind `rule` contains. */
export const CategoryRule = Type.Object(
  {
    match: Type.Enum(['all', 'any'], { examples: ['all'] }),
    conditions: Type.Array(RuleCondition, { minItems: 1, maxItems: maxRuleConditions }),
  },
  { $id: 'MembershipRule' },
);
export type CategoryRule = Static<typeof CategoryRule>;

export const categorySorts = ['manual', 'name', 'price', 'created'] as const;

/** The order of a category's products. */
export const CategorySort = Type.Object(
  {
    by: Type.Enum([...categorySorts], { examples: ['manual'] }),
    dir: Type.Enum(['asc', 'desc'], { examples: ['asc'] }),
  },
  { $id: 'CategorySort' },
);
export type CategorySort = Static<typeof CategorySort>;

/** A category as the public API and events show it: `decisions.md 20.3`. */
export const Category = Type.Object(
  {
    id: Type.String({ pattern: idPattern('category') }),
    name: Type.String({ examples: ['Black tea'] }),
    slug: Type.String({ examples: ['black-tea'] }),
    description: Type.String({ description: 'HTML, sanitised on write.', examples: ['<p>Strong.</p>'] }),
    parentId: Type.Union([Type.String(), Type.Null()], { examples: [null] }),
    position: Type.Integer({
      minimum: 0,
      description: 'The position among its siblings, from 0.',
      examples: [0],
    }),
    imageMediaId: Type.Union([Type.String(), Type.Null()], { examples: [null] }),
    kind: Type.Enum(['manual', 'rule'], { examples: ['manual'] }),
    rule: Type.Union([CategoryRule, Type.Null()], { examples: [null] }),
    sort: CategorySort,
    seo: Seo,
    customFields: CustomFieldValues,
    productsCount: Type.Integer({ description: 'The number of products, in any status.', examples: [12] }),
    truncated: Type.Boolean({
      description:
        'Whether more products match the rule than the category contains, because the store’s rules have reached ' +
        'their limit of products.',
      examples: [false],
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Category' },
);
export type Category = Static<typeof Category>;
