import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { uploadFile } from '../../api/upload.ts';
import { paths } from '../../paths.ts';
import type { FieldValues } from '../../shell/custom-fields/queries.ts';
import { HtmlField } from '../../shell/html-field/html-field.tsx';
import { Failure } from '../../shell/problems.tsx';
import type { Fields } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Checkbox, CheckboxGroup } from '../../ui/choices.tsx';
import { FilePicker } from '../../ui/files.tsx';
import { Card, Notice, Progress, Row } from '../../ui/layout.tsx';
import { TagsField } from '../../ui/tags-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './blog.module.css';
import { type Article, categoriesQuery, indented } from './queries.ts';
import { State } from './state.tsx';
import { useBlogTexts } from './texts.ts';

/** The fields of an article that this form edits. */
export type ArticleInput = Pick<
  Article,
  'title' | 'slug' | 'excerpt' | 'content' | 'categoryIds' | 'coverMediaId' | 'tags'
> & { customFields: FieldValues };

type FormProps = { form: Fields<ArticleInput> };

/** Title, excerpt and body of the article. */
export function ArticleTextCard({ article, form }: FormProps & { article: Article | null }) {
  const words = useBlogTexts();
  const common = useCommon();
  const store = useStore();
  return (
    <Card title={words.article}>
      <TextField label={words.articleTitle} {...form.field('title')} isRequired />
      <TextField label={words.excerpt} hint={words.excerptHint} {...form.field('excerpt')} rows={3} />
      {article?.bodyType === 'page' ? (
        <Notice
          title={words.builder}
          actions={
            <LinkButton href={paths.inStore(store.id, 'blog', article.id, 'edit')}>
              {common.openEditor}
            </LinkButton>
          }
        >
          {words.builderHint}
        </Notice>
      ) : (
        <HtmlField label={words.content} {...form.field('content')} rows={16} />
      )}
    </Card>
  );
}

/** Whether visitors see the article, and the buttons that change it. */
export function StatusCard({
  article,
  isDirty,
  onPublish,
  onUnpublish,
}: {
  article: Article;
  isDirty: boolean;
  /** Missing: the user may only read. */
  onPublish: (() => void) | undefined;
  onUnpublish(): void;
}) {
  const words = useBlogTexts();
  const common = useCommon();
  const formats = useFormats();
  return (
    <Card title={common.status}>
      <Row>
        <State article={article} />
        {article.publishedAt && <span>{formats.dateTime(article.publishedAt)}</span>}
      </Row>
      {onPublish && (
        <Row>
          {(article.hasChanges || article.status === 'draft') && (
            <Button isDisabled={isDirty} onPress={onPublish}>
              {words.publish}
            </Button>
          )}
          {article.status === 'published' && <Button onPress={onUnpublish}>{words.unpublish}</Button>}
        </Row>
      )}
      {isDirty && article.status === 'draft' && <p>{words.saveFirst}</p>}
    </Card>
  );
}

/** Slug, categories and tags. */
export function SortingCard({ form }: FormProps) {
  const words = useBlogTexts();
  const store = useStore();
  const { data: categories, error, refetch } = useQuery(categoriesQuery(store.id));
  return (
    <Card title={words.sorting}>
      {error && !categories && <Failure error={error} onRetry={() => void refetch()} />}
      {categories?.length === 0 && <p>{words.noCategories}</p>}
      {categories && categories.length > 0 && (
        <CheckboxGroup label={words.categories} {...form.field('categoryIds')}>
          {categories.map((category) => (
            <Checkbox key={category.id} id={category.id} label={indented(category)} />
          ))}
        </CheckboxGroup>
      )}
      <TagsField label={words.tags} hint={words.tagsHint} {...form.field('tags')} />
      <TextField label={words.slug} hint={words.slugHint} {...form.field('slug')} />
    </Card>
  );
}

/** The cover image. */
export function CoverCard({
  article,
  id,
  onChange,
}: {
  article: Article | null;
  id: string | null;
  /** Missing: the user may only read. */
  onChange: ((id: string | null) => void) | undefined;
}) {
  const words = useBlogTexts();
  const store = useStore();
  const [known, setKnown] = useState<{ id: string; url: string } | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const cover = [known, article?.coverMedia ?? null].find((candidate) => candidate?.id === id);
  const upload = useMutation(async ([file]: readonly File[]) => {
    if (!file) return;
    try {
      const media = await uploadFile(store.id, file, { onProgress: setShare });
      setKnown(media);
      onChange?.(media.id);
    } finally {
      setShare(null);
    }
  });
  return (
    <Card title={words.cover}>
      {cover && <img src={`${cover.url}?w=640`} alt="" className={style.cover} />}
      {onChange && id && (
        <Row>
          <Button size="small" onPress={() => onChange(null)}>
            {words.removeCover}
          </Button>
        </Row>
      )}
      {onChange && store.can('media.write') && (
        <FilePicker
          label={id ? words.replaceCover : words.addCover}
          accept={['image/*']}
          isMultiple={false}
          isDisabled={upload.isPending}
          onFiles={(files) => void upload.run(files)}
        />
      )}
      {share !== null && <Progress label={words.addCover} value={share} />}
    </Card>
  );
}
