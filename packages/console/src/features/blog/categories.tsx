import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Card, Empty, Screen, Skeleton } from '../../ui/layout.tsx';
import { ActionMenu, Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './blog.module.css';
import {
  articlesKey,
  type Category,
  type CategoryAtDepth,
  categoriesKey,
  categoriesQuery,
  indented,
  readCategory,
} from './queries.ts';
import { useBlogTexts } from './texts.ts';

/** The blog categories as a tree. */
export function CategoryList() {
  const words = useBlogTexts();
  const store = useStore();
  if (store.can('blog.read')) return <Tree />;
  return <NoPermission title={words.categories} role={store.role} needed={store.roleFor('blog.read')} />;
}

type Question =
  | { is: 'edit'; category: CategoryAtDepth | null }
  | { is: 'delete'; category: CategoryAtDepth };

function Tree() {
  const words = useBlogTexts();
  const common = useCommon();
  const store = useStore();
  const { data: categories, error, refetch } = useQuery(categoriesQuery(store.id));
  const [question, setQuestion] = useState<Question | null>(null);
  const canWrite = store.can('blog.write');
  const invalidates = [categoriesKey(store.id), articlesKey(store.id)];
  const createParams = ({ id }: CategoryAtDepth) => ({ params: { path: { storeId: store.id, id } } });

  const move = useMutation(
    async ({ category, by }: { category: CategoryAtDepth; by: 1 | -1 }) => {
      // The list may be stale, so all fields but the position are taken from a fresh read.
      const { blogCategory, etag } = await readCategory(store.id, category.id);
      const { name, slug, parentId, position } = blogCategory;
      return api.put('/api/stores/{storeId}/blog-categories/{id}', {
        ...createParams(category),
        headers: etag ? { 'if-match': etag } : {},
        body: { name, slug, parentId, position: position + by },
      });
    },
    { invalidates },
  );
  const remove = useMutation(
    (category: CategoryAtDepth) =>
      api.delete('/api/stores/{storeId}/blog-categories/{id}', createParams(category)),
    { done: words.categoryDeleted, invalidates },
  );
  const create = canWrite && (
    <Button look="primary" onPress={() => setQuestion({ is: 'edit', category: null })}>
      {words.newCategory}
    </Button>
  );
  return (
    <Screen
      title={words.categories}
      back={
        <TextLink href={paths.inStore(store.id, 'blog')}>{common.backTo({ place: words.title })}</TextLink>
      }
      actions={categories && categories.length > 0 && create}
      width="text"
    >
      <Card isFlush>
        {error && !categories && <Failure error={error} onRetry={() => void refetch()} />}
        {!categories && !error && <Skeleton lines={6} />}
        {categories?.length === 0 && (
          <Empty title={words.noCategories} action={create}>
            {words.noCategoriesHint}
          </Empty>
        )}
        {categories && categories.length > 0 && (
          <ul className={style.tree}>
            {categories.map((category) => (
              <CategoryRow
                key={category.id}
                category={category}
                onMove={canWrite ? (by) => void move.run({ category, by }) : undefined}
                onQuestion={(is) => setQuestion({ is, category })}
              />
            ))}
          </ul>
        )}
      </Card>
      {question?.is === 'edit' && (
        <CategoryDialog
          category={question.category}
          categories={categories ?? []}
          onClose={() => setQuestion(null)}
        />
      )}
      {question?.is === 'delete' && (
        <ConfirmDialog
          title={words.deleteCategoryTitle({ name: question.category.name })}
          confirm={common.delete}
          isOpen
          onClose={() => setQuestion(null)}
          onConfirm={() => remove.attempt(question.category)}
        >
          {words.deleteCategoryHint}
        </ConfirmDialog>
      )}
    </Screen>
  );
}

function CategoryRow({
  category,
  onMove,
  onQuestion,
}: {
  category: CategoryAtDepth;
  /** Missing: the user may not change categories. */
  onMove: ((by: 1 | -1) => void) | undefined;
  onQuestion(is: Question['is']): void;
}) {
  const words = useBlogTexts();
  const common = useCommon();
  return (
    <li>
      <span className={style.named}>
        {indented(category)}
        <small>/{category.slug}</small>
      </span>
      {onMove && (
        <ActionMenu
          label={common.actionsFor({ thing: category.name })}
          actions={[
            {
              id: 'edit',
              text: common.edit,
              onAction: () => onQuestion('edit'),
            },
            {
              id: 'up',
              text: words.moveUp,
              isDisabled: category.position === 0,
              onAction: () => onMove(-1),
            },
            {
              id: 'down',
              text: words.moveDown,
              isDisabled: category.position === category.siblings - 1,
              onAction: () => onMove(1),
            },
            {
              id: 'delete',
              text: common.delete,
              isDanger: true,
              onAction: () => onQuestion('delete'),
            },
          ]}
        />
      )}
    </li>
  );
}

/** Stands for the top level; no category has this id. */
const top = 'top';

/** Loaded on demand, because the transliteration tables of all scripts are large. */
async function deriveCategorySlug(name: string): Promise<string> {
  const { deriveSlug } = await import('@waybill/slugs');
  return deriveSlug(name, '');
}

type Input = Pick<Category, 'name' | 'slug' | 'parentId'>;

const blank: Input = { name: '', slug: '', parentId: null };

const toInput = ({ name, slug, parentId }: Category): Input => ({ name, slug, parentId });

function CategoryDialog({
  category,
  categories,
  onClose,
}: {
  category: CategoryAtDepth | null;
  categories: readonly CategoryAtDepth[];
  onClose(): void;
}) {
  const words = useBlogTexts();
  const common = useCommon();
  const store = useStore();
  const { data, error, refetch } = useQuery({
    queryKey: [...categoriesKey(store.id), category?.id],
    queryFn: ({ signal }) => readCategory(store.id, category!.id, signal),
    enabled: category !== null,
  });
  const form = useResourceForm<Input, unknown>({
    stored: data ? toInput(data.blogCategory) : blank,
    etag: data?.etag ?? null,
    isKept: false,
    async save({ value: { name, slug, parentId }, headers }) {
      const body = { name: name.trim(), slug: slug || (await deriveCategorySlug(name)), parentId };
      const path = { storeId: store.id };
      return category
        ? api.put('/api/stores/{storeId}/blog-categories/{id}', {
            params: { path: { ...path, id: category.id } },
            headers,
            body,
          })
        : api.post('/api/stores/{storeId}/blog-categories', { params: { path }, body });
    },
    done: category ? common.saved : words.categoryMade,
    invalidates: [categoriesKey(store.id)],
    fields: { duplicate_slug: '/slug' },
    onSaved: onClose,
  });
  const isBelow = (candidate: CategoryAtDepth): boolean => {
    if (candidate.id === category?.id) return true;
    const parent = categories.find(({ id }) => id === candidate.parentId);
    return parent !== undefined && isBelow(parent);
  };
  return (
    <Dialog title={category ? category.name : words.newCategory} isOpen onClose={onClose} size="small">
      {category &&
        !data &&
        (error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton lines={6} />)}
      {(!category || data) && (
        <ResourceForm
          form={form}
          isPart
          bar={
            <Actions>
              <Button look="primary" type="submit" isPending={form.mutation.isPending}>
                {category ? common.save : common.create}
              </Button>
            </Actions>
          }
        >
          <TextField label={common.name} {...form.field('name')} isRequired autoFocus maxLength={200} />
          <TextField label={words.slug} hint={words.slugHint} {...form.field('slug')} />
          <Select
            label={words.parent}
            choices={[
              { id: top, text: words.noParent },
              ...categories
                .filter((candidate) => !isBelow(candidate))
                .map((candidate) => ({ id: candidate.id, text: indented(candidate) })),
            ]}
            value={form.value.parentId ?? top}
            onChange={(id) => form.change({ parentId: id === top ? null : id })}
          />
        </ResourceForm>
      )}
    </Dialog>
  );
}
