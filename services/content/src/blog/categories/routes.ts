import { idPattern, Name, slugMaxLength, slugPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../../errors.ts';

const id = Type.String({ pattern: idPattern('blogCategory') });

export const BlogCategory = Type.Object(
  {
    id,
    name: Type.String(),
    slug: Type.String({ description: 'Unique within the store.' }),
    parentId: nullable(id),
    position: Type.Integer({
      minimum: 0,
      description: 'The position among the categories of the same parent.',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'BlogCategory' },
);
export type BlogCategory = Static<typeof BlogCategory>;

export const CategoryInput = Type.Object(
  {
    name: Name(),
    slug: Type.String({
      pattern: slugPattern,
      maxLength: slugMaxLength,
      errorCode: {
        required: 'invalid_slug',
        type: 'invalid_slug',
        pattern: 'invalid_slug',
        maxLength: 'invalid_slug',
      },
    }),
    parentId: Type.Optional(
      nullable(
        Type.String({ description: 'The parent category; null or omitted for a top-level category.' }),
      ),
    ),
    position: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'The new position; past the end means the end. Omitted: the end, or the current position.',
      }),
    ),
  },
  { $id: 'BlogCategoryInput' },
);
export type CategoryInput = Static<typeof CategoryInput>;

const Item = Type.Object({ blogCategory: BlogCategory });
const ids = { id: 'blogCategory' } as const;
const conflicts = [errors.invalid_slug, errors.duplicate_slug];

/** `store-api.md 4.7`, `decisions.md 4.6`. */
export const routes = defineRoutes({
  listBlogCategories: {
    method: 'GET',
    path: '/api/v1/blog-categories',
    access: { scope: 'blog.read' },
    summary: 'List blog categories',
    description: 'Top-level categories first, then the children of each parent by position.',
    query: Type.Object(paging),
    answer: [200, pageSchema('blogCategories', BlogCategory)],
  },
  createBlogCategory: {
    method: 'POST',
    path: '/api/v1/blog-categories',
    access: { scope: 'blog.write' },
    summary: 'Create a blog category',
    description: 'An unknown parent is `not_found`.',
    body: CategoryInput,
    answer: [201, Item],
    errors: [...conflicts, errors.not_found, errors.too_many_blog_categories],
  },
  getBlogCategory: {
    method: 'GET',
    path: '/api/v1/blog-categories/{id}',
    access: { scope: 'blog.read' },
    summary: 'Read a blog category',
    description: 'Its name, slug and parent category.',
    ids,
    answer: [200, Item],
  },
  replaceBlogCategory: {
    method: 'PUT',
    path: '/api/v1/blog-categories/{id}',
    access: { scope: 'blog.write' },
    summary: 'Replace a blog category',
    description: 'A different `parentId` moves the category with all its descendants.',
    ids,
    body: CategoryInput,
    answer: [200, Item],
    errors: [...conflicts, errors.cycle_detected],
  },
  deleteBlogCategory: {
    method: 'DELETE',
    path: '/api/v1/blog-categories/{id}',
    access: { scope: 'blog.write' },
    summary: 'Delete a blog category',
    description:
      'Its children move to its parent. It is removed from its articles; their `updatedAt` stays the same, as ' +
      'nobody edited them.',
    ids,
    answer: [204, null],
  },
});
