import { idPattern, Name, slugMaxLength, slugPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pagesOf, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../../errors.ts';

const id = Type.String({ pattern: idPattern('blogCategory') });

export const BlogCategory = Type.Object(
  {
    id,
    name: Type.String(),
    slug: Type.String({ description: 'Unique in the store.' }),
    parentId: nullable(id),
    position: Type.Integer({ minimum: 0, description: 'Among the categories of the same parent.' }),
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
    parentId: Type.Optional(nullable(Type.String({ description: 'Null, or left out: at the top.' }))),
    position: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Moves the category there; past the end means the end. Left out: the end, or where it stands already.',
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
    description: 'Those at the top first, then those of each parent, in the order of their positions.',
    query: Type.Object(paging),
    answer: [200, pagesOf('blogCategories', BlogCategory)],
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
    description: 'Its name, its address and the category that it lies in.',
    ids,
    answer: [200, Item],
  },
  replaceBlogCategory: {
    method: 'PUT',
    path: '/api/v1/blog-categories/{id}',
    access: { scope: 'blog.write' },
    summary: 'Replace a blog category',
    description: 'Another `parentId` moves it, with all that stands below it.',
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
      'Its children take its place under its parent. It goes from the articles that stand in it; their ' +
      '`updatedAt` stays, as nobody wrote them.',
    ids,
    answer: [204, null],
  },
});
