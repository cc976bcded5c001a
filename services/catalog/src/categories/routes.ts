import {
  Category,
  CategoryRule,
  CategorySort,
  CustomFieldValuesInput,
  contentWarnings,
  Name,
  OptionalName,
  Product,
  slugMaxLength,
  slugPattern,
} from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

/** Maximum number of products in a manual category. */
export const maxMembers = 10_000;

const fields = {
  name: Name(),
  slug: Type.Optional(
    Type.String({ pattern: slugPattern, maxLength: slugMaxLength, errorCode: 'invalid_slug' }),
  ),
  description: Type.Optional(Type.String({ maxLength: 500_000, description: 'HTML; sanitised.' })),
  parentId: Type.Optional(nullable(Type.String({ description: 'Null for a root category.' }))),
  position: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The position among its siblings. Shifts the others; positions past the end mean the end.',
    }),
  ),
  imageMediaId: Type.Optional(
    nullable(
      Type.String({
        maxLength: 60,
        description: 'An unknown ID becomes null.',
        examples: ['mda_01kakk9zg00000000000000000'],
      }),
    ),
  ),
  kind: Type.Optional(
    Type.Enum(['manual', 'rule'], { description: '`manual` by default; cannot be changed later.' }),
  ),
  rule: Type.Optional(Type.Union([CategoryRule, Type.Null()], { examples: [null] })),
  sort: Type.Optional(
    Type.Object({
      by: Type.Optional(CategorySort.properties.by),
      dir: Type.Optional(CategorySort.properties.dir),
    }),
  ),
  seo: Type.Optional(
    Type.Object({
      title: Type.Optional(OptionalName({ maxLength: 200, examples: ['Earl Grey, loose leaf'] })),
      description: Type.Optional(
        Type.String({ maxLength: 1_000, examples: ['Black tea with oil of bergamot.'] }),
      ),
      imageMediaId: Type.Optional(
        nullable(
          Type.String({
            maxLength: 60,
            description: 'An unknown ID becomes null.',
            examples: ['mda_01kakk9zg00000000000000000'],
          }),
        ),
      ),
    }),
  ),
  customFields: Type.Optional(CustomFieldValuesInput),
};

export const CategoryInput = Type.Object(fields, { $id: 'CategoryInput' });
export type CategoryInput = Static<typeof CategoryInput>;

/** A partial rule: omitted fields keep their values. */
const CategoryRulePatch = Type.Object(
  {
    match: Type.Optional(CategoryRule.properties.match),
    conditions: Type.Optional(CategoryRule.properties.conditions),
  },
  { $id: 'MembershipRulePatch' },
);

export const CategoryPatch = Type.Object(
  { ...fields, name: Type.Optional(fields.name), rule: Type.Optional(nullable(CategoryRulePatch)) },
  { $id: 'CategoryPatch' },
);
export type CategoryPatch = Static<typeof CategoryPatch>;

const ProductIds = Type.Array(Type.String({ maxLength: 60 }), { maxItems: maxMembers });

export const CategoryProducts = Type.Object({ productIds: ProductIds }, { $id: 'CategoryProducts' });
export const CategoryProductsChange = Type.Object(
  {
    add: Type.Optional(ProductIds),
    remove: Type.Optional(ProductIds),
  },
  { $id: 'CategoryProductsChange' },
);
export type CategoryProductsChange = Static<typeof CategoryProductsChange>;

const PreviewedProduct = Type.Object(
  {
    id: Product.properties.id,
    name: Product.properties.name,
    status: Product.properties.status,
    imageMediaId: nullable(Type.String({ description: 'The product’s first picture.' })),
  },
  { $id: 'PreviewedProduct' },
);
export type PreviewedProduct = Static<typeof PreviewedProduct>;

export const CategoryRulePreview = Type.Object(
  { rule: CategoryRule, limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 50, default: 10 })) },
  { $id: 'CategoryRulePreview' },
);

const ListQuery = Type.Object(paging);
export type ListQuery = Static<typeof ListQuery>;

const Item = Type.Object({ category: Category });
const WrittenItem = Type.Object({ category: Category, warnings: contentWarnings });
const ids = { id: 'category' } as const;
const inputErrors = [
  errors.invalid_slug,
  errors.invalid_custom_field,
  errors.not_found,
  errors.duplicate_slug,
];

/** Routes of categories: `decisions.md 20.3`. */
export const routes = defineRoutes({
  listCategories: {
    method: 'GET',
    path: '/api/v1/categories',
    access: { scope: 'products.read' },
    summary: 'List categories',
    description: 'Roots first, then ordered by parent and position.',
    query: ListQuery,
    answer: [200, pageSchema('categories', Category)],
  },
  createCategory: {
    method: 'POST',
    path: '/api/v1/categories',
    access: { scope: 'products.write' },
    summary: 'Create a category',
    description:
      'Without a slug, one is derived from the name; without a position, the category goes to the end. A ' +
      'category of kind `rule` contains its products within 30 seconds. An unknown parent is `not_found`. ' +
      'Emits `category.created`.',
    body: CategoryInput,
    idempotency: 'handler',
    answer: [201, WrittenItem],
    errors: [...inputErrors, errors.too_many_categories, errors.too_many_rule_members],
  },
  getCategory: {
    method: 'GET',
    path: '/api/v1/categories/{id}',
    access: { scope: 'products.read' },
    summary: 'Read a category',
    description: 'Its products have a list of their own.',
    ids,
    computed: ['category.productsCount', 'category.truncated'],
    isRevalidated: true,
    answer: [200, Item],
  },
  changeCategory: {
    method: 'PATCH',
    path: '/api/v1/categories/{id}',
    access: { scope: 'products.write' },
    summary: 'Change a category',
    description: 'Omitted fields keep their values. Emits `category.updated` if anything changed.',
    ids,
    body: CategoryPatch,
    idempotency: 'handler',
    answer: [200, WrittenItem],
    errors: [...inputErrors, errors.cycle_detected, errors.too_many_rule_members],
  },
  previewCategoryRule: {
    method: 'POST',
    path: '/api/stores/{storeId}/categories/preview',
    access: { member: 'products.read' },
    summary: 'Preview the products of a rule',
    description:
      'The products that a category with this rule would contain now: their number, and the first of them. ' +
      'Stores nothing.',
    body: CategoryRulePreview,
    idempotency: 'none',
    answer: [200, Type.Object({ products: Type.Array(PreviewedProduct), total: Type.Integer() })],
    errors: [errors.resource_unavailable],
  },
  deleteCategory: {
    method: 'DELETE',
    path: '/api/v1/categories/{id}',
    access: { scope: 'products.write' },
    summary: 'Delete a category',
    description: 'Its children move to its parent; its products stay. Emits `category.deleted`.',
    ids,
    answer: [204, null],
  },
  listCategoryProducts: {
    method: 'GET',
    path: '/api/v1/categories/{id}/products',
    access: { scope: 'products.read' },
    summary: 'List the products of a category',
    description: 'In the category’s order, in any status; excludes products of its child categories.',
    ids,
    query: ListQuery,
    answer: [200, pageSchema('products', Product)],
  },
  setCategoryProducts: {
    method: 'PUT',
    path: '/api/v1/categories/{id}/products',
    access: { scope: 'products.write' },
    summary: 'Set the products of a manual category',
    description:
      'In this order; duplicate products count once. An unknown product is `not_found`. Emits nothing: the ' +
      'products are not a field of the category.',
    ids,
    body: CategoryProducts,
    answer: [200, Item],
    errors: [errors.invalid_state],
  },
  changeCategoryProducts: {
    method: 'POST',
    path: '/api/v1/categories/{id}/products',
    access: { scope: 'products.write' },
    summary: 'Add products to a manual category, or remove some',
    description:
      'Removals come first. Added products go to the end; products already in the category keep their ' +
      'position. An unknown product to add is `not_found`.',
    ids,
    body: CategoryProductsChange,
    answer: [200, Item],
    errors: [errors.invalid_state],
  },
});
