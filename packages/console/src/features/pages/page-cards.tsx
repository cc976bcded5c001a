import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import type { FieldValues } from '../../shell/custom-fields/queries.ts';
import type { Fields } from '../../shell/resource-form.tsx';
import { Revisions } from '../../shell/revisions.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Card, Row } from '../../ui/layout.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type Page, pagesKey, revisionsQuery } from './queries.ts';
import { State } from './state.tsx';
import { usePageTexts } from './texts.ts';

/** The fields of the form: the settings that live pages use, as texts. */
export interface PageInput {
  name: string;
  slug: string;
  title: string;
  description: string;
  lang: string;
  noindex: boolean;
  customFields: FieldValues;
}

/** The settings of a page. */
export function SettingsCard({ page, form }: { page: Page; form: Fields<PageInput> }) {
  const words = usePageTexts();
  const common = useCommon();
  return (
    <>
      <Card title={words.basics}>
        <TextField label={common.name} {...form.field('name')} isRequired maxLength={200} />
        <TextField
          label={words.slug}
          hint={page.isHomepage ? words.slugOfHomepage : undefined}
          {...form.field('slug')}
          isRequired
        />
      </Card>
      <Card title={words.seo}>
        <p>{words.liveSettings}</p>
        <TextField
          label={words.seoTitle}
          hint={words.seoTitleHint}
          {...form.field('title')}
          name="/settings/title"
        />
        <TextField
          label={words.seoDescription}
          hint={words.seoDescriptionHint}
          {...form.field('description')}
          name="/settings/description"
          rows={3}
        />
        <TextField
          label={words.language}
          hint={words.languageHint}
          {...form.field('lang')}
          name="/settings/lang"
        />
        <Switch label={words.noindex} {...form.field('noindex')} />
      </Card>
    </>
  );
}

/** Whether visitors see the page, and the buttons that change it. */
export function VisibilityCard({
  page,
  isDirty,
  onPublish,
  onUnpublish,
}: {
  page: Page;
  isDirty: boolean;
  /** Missing: the user may only read. */
  onPublish: (() => void) | undefined;
  onUnpublish(): void;
}) {
  const words = usePageTexts();
  const common = useCommon();
  const store = useStore();
  return (
    <Card title={words.state}>
      <State page={page} />
      {!page.live && !page.hasDraft && <p>{words.nothingSaved}</p>}
      <LinkButton href={paths.inStore(store.id, 'pages', page.id, 'edit')}>{common.openEditor}</LinkButton>
      <LinkButton href={paths.inStore(store.id, 'pages', page.id, 'preview')}>{words.preview}</LinkButton>
      {onPublish && (
        <Row>
          {(page.hasDraft || page.live) && (
            <Button look={page.hasChanges ? 'primary' : 'secondary'} isDisabled={isDirty} onPress={onPublish}>
              {page.hasChanges ? words.publish : words.publishAgain}
            </Button>
          )}
          {page.live && <Button onPress={onUnpublish}>{words.unpublish}</Button>}
        </Row>
      )}
    </Card>
  );
}

/** The revisions of a page. */
export function RevisionsCard({ id, canWrite }: { id: string; canWrite: boolean }) {
  const words = usePageTexts();
  const store = useStore();
  const read = useQuery(revisionsQuery(store.id, id));
  const restore = useMutation(
    (revisionId: string) =>
      api.post('/api/stores/{storeId}/pages/{pageId}/revisions/{revisionId}/restore', {
        params: { path: { storeId: store.id, pageId: id, revisionId } },
      }),
    { done: words.restored, invalidates: [pagesKey(store.id)] },
  );
  return (
    <Revisions
      words={words}
      read={read}
      look={paths.inStore(store.id, 'pages', id, 'preview')}
      onRestore={canWrite ? restore.attempt : undefined}
    />
  );
}
