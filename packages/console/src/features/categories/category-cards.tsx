import { lazy, Suspense } from 'react';
import { HtmlField } from '../../shell/html-field/html-field.tsx';
import { ImageField } from '../../shell/image-field.tsx';
import type { Fields } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { RadioGroup } from '../../ui/choices.tsx';
import { Card, Facts, Notice, Skeleton } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { CategoryInput } from './category-input.ts';
import type { Category } from './queries.ts';
import { useCategoryTexts } from './texts.ts';

/** Loads after the form, because searching among many categories is rarely needed. */
const CategoryField = lazy(async () => ({
  default: (await import('./category-field.tsx')).CategoryField,
}));
/** Loads on demand, because most categories have no rule. */
const RuleEditor = lazy(async () => ({ default: (await import('./rule.tsx')).RuleEditor }));

interface CardProps {
  form: Fields<CategoryInput>;
  /** Null: the category is new. */
  category: Category | null;
}

/** The name and the description of a category. */
export function BasicsCard({ form, category }: CardProps) {
  const words = useCategoryTexts();
  const common = useCommon();
  return (
    <Card title={words.basics}>
      <TextField
        label={common.name}
        {...form.field('name')}
        isRequired
        maxLength={200}
        autoFocus={!category}
      />
      <HtmlField label={words.description} rows={5} {...form.field('description')} />
    </Card>
  );
}

/** The products of a category, by hand or by a rule, and their order. */
export function ContentsCard({ form, category }: CardProps) {
  const words = useCategoryTexts();
  const { value, isReadOnly } = form;
  const sorts = (['manual', 'name', 'price', 'created'] as const).filter(
    (by) => by !== 'manual' || value.kind === 'manual',
  );
  const sortBy = value.kind === 'rule' && value.sortBy === 'manual' ? 'name' : value.sortBy;
  return (
    <Card title={words.contents}>
      {category?.truncated && (
        <Notice tone="warn" title={words.truncated}>
          {words.truncatedHint}
        </Notice>
      )}
      {!category && (
        <RadioGroup
          label={words.kind}
          choices={[
            { id: 'manual', text: words.kinds.manual, detail: words.kindHints.manual },
            { id: 'rule', text: words.kinds.rule, detail: words.kindHints.rule },
          ]}
          value={value.kind}
          onChange={(kind) =>
            form.change({ kind, sortBy: kind === 'rule' ? 'name' : 'manual', sortDir: 'asc' })
          }
        />
      )}
      {value.kind === 'rule' && (
        <Suspense fallback={<Skeleton lines={3} />}>
          <RuleEditor
            rule={value.rule}
            onChange={form.field('rule').onChange}
            ownId={category?.id ?? null}
            isReadOnly={isReadOnly}
          />
        </Suspense>
      )}
      {!category && value.kind === 'manual' && <p>{words.chooseLater}</p>}
      <Select
        label={words.sort}
        name="/sort/by"
        choices={sorts.map((by) => ({ id: by, text: words.sorts[by] }))}
        value={sortBy}
        onChange={form.field('sortBy').onChange}
        isReadOnly={isReadOnly}
      />
      <Select
        label={words.direction}
        choices={(['asc', 'desc'] as const).map((dir) => ({
          id: dir,
          text: words.directions[sortBy][dir],
        }))}
        {...form.field('sortDir')}
        name="/sort/dir"
      />
    </Card>
  );
}

/** The parent of a category, its position there and its address. */
export function PlaceCard({ form, category }: CardProps) {
  const words = useCategoryTexts();
  return (
    <Card title={words.place}>
      <Suspense fallback={<Skeleton lines={1} />}>
        <CategoryField
          label={words.parent}
          name="/parentId"
          value={form.value.parentId}
          onChange={(parentId) => form.change({ parentId, position: null })}
          without={category?.id ?? null}
          isAnyKind
          none={words.noParent}
          isReadOnly={form.isReadOnly}
        />
      </Suspense>
      <NumberField
        label={words.position}
        hint={words.positionHint}
        step={1}
        minValue={1}
        {...form.field('position')}
      />
      <TextField label={words.slug} hint={words.slugHint} {...form.field('slug')} />
    </Card>
  );
}

/** The picture of a category. */
export function PictureCard({ form }: Pick<CardProps, 'form'>) {
  const words = useCategoryTexts();
  return (
    <Card title={words.picture}>
      <ImageField label={words.picture} {...form.field('imageMediaId')} />
    </Card>
  );
}

/** How search engines and social networks show a category. */
export function SearchEnginesCard({ form }: Pick<CardProps, 'form'>) {
  const words = useCategoryTexts();
  return (
    <Card title={words.seo}>
      <TextField
        label={words.seoTitle}
        hint={words.seoTitleHint}
        {...form.field('seoTitle')}
        name="/seo/title"
        maxLength={200}
      />
      <TextField
        label={words.seoDescription}
        hint={words.seoDescriptionHint}
        rows={3}
        {...form.field('seoDescription')}
        name="/seo/description"
        maxLength={1_000}
      />
      <ImageField label={words.seoImage} {...form.field('seoImage')} name="/seo/imageMediaId" />
    </Card>
  );
}

/** The data of a category that nobody edits. */
export function FactsCard({ category }: { category: Category }) {
  const words = useCategoryTexts();
  const common = useCommon();
  const formats = useFormats();
  return (
    <Card title={words.facts}>
      <Facts
        facts={[
          [words.kind, words.kinds[category.kind]],
          [words.members, formats.number(category.productsCount)],
          [common.created, formats.dateTime(category.createdAt)],
          [common.updated, formats.dateTime(category.updatedAt)],
          ['ID', <code key="id">{category.id}</code>],
        ]}
      />
    </Card>
  );
}
