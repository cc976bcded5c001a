import { useQuery } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { useSyncExternalStore } from 'react';
import { api } from '../../api/client.ts';
import { type PageSeo, readPageSeo, writePageSeo } from '../../shell/page-seo.ts';
import { Failure } from '../../shell/problems.tsx';
import { ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Switch } from '../../ui/choices.tsx';
import { Notice, Row, Skeleton } from '../../ui/layout.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { LinkTargetSearch } from '../elements/link-targets.tsx';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { pageQuery } from '../workbench/queries.ts';
import type { ShownWithChoice } from '../workbench/subjects.ts';
import style from './page-settings.module.css';

type Page = Model<'Page'>;

/** The settings of a page around its content: its name, its address, and its entry in search engines. */
export function PageSettings() {
  const { subject, words } = usePanelWorkbench();
  if (subject.kind === 'page') return <Settings />;
  if (subject.shownWith) return <ShownWith choice={subject.shownWith} />;
  return (
    <p className={style.settings}>
      <TextLink href={subject.home}>
        {subject.kind === 'template' ? words.templateElsewhere : words.settingsElsewhere}
      </TextLink>
    </p>
  );
}

function Settings() {
  const { subject, storeId } = usePanelWorkbench();
  const { data, error, refetch } = useQuery(pageQuery(storeId, subject.id));
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={6} />;
  return <SettingsForm page={data.page} etag={data.etag} />;
}

interface Input extends PageSeo {
  name: string;
  slug: string;
  /** Whether the page has no header and footer. */
  hasNoLayout: boolean;
}

const toInput = ({ name, slug, settings }: Page): Input => ({
  name,
  slug,
  ...readPageSeo(settings),
  hasNoLayout: settings.layout === 'none',
});

function SettingsForm({ page, etag }: { page: Page; etag: string | null }) {
  const { words, storeId, canWrite } = usePanelWorkbench();
  const common = useCommon();
  const form = useResourceForm({
    stored: toInput(page),
    etag,
    canWrite,
    save({ value: { name, slug, hasNoLayout, ...seo }, headers }) {
      const { layout, ...rest } = writePageSeo(page.settings, seo);
      // A layout that this panel does not know is kept.
      const layoutSetting = hasNoLayout ? 'none' : layout === 'none' ? undefined : layout;
      const settings = {
        ...rest,
        ...(layoutSetting !== undefined && { layout: layoutSetting }),
      };
      return api.patch('/api/stores/{storeId}/pages/{id}', {
        params: { path: { storeId, id: page.id } },
        headers,
        body: { name, slug, settings },
      });
    },
    done: common.saved,
    invalidates: [['stores', storeId, 'pages']],
    fields: { duplicate_slug: '/slug' },
  });
  const { value } = form;
  return (
    <div className={style.settings}>
      <ResourceForm
        form={form}
        bar={
          canWrite && (
            <Row>
              <Button
                look="primary"
                type="submit"
                isPending={form.mutation.isPending}
                isDisabled={!form.isDirty}
              >
                {common.save}
              </Button>
            </Row>
          )
        }
      >
        <TextField label={common.name} {...form.field('name')} isRequired maxLength={200} />
        <TextField label={words.slug} {...form.field('slug')} isRequired />
        <TextField
          label={words.seoTitle}
          hint={words.lengthOf({ length: value.title.length, most: 60 })}
          {...form.field('title')}
          name="/settings/title"
        />
        <TextField
          label={words.seoDescription}
          hint={words.lengthOf({ length: value.description.length, most: 155 })}
          {...form.field('description')}
          name="/settings/description"
          rows={3}
        />
        <Switch label={words.noindex} {...form.field('noindex')} />
        <Switch label={words.layoutNone} {...form.field('hasNoLayout')} />
      </ResourceForm>
      <SearchResult page={page} input={value} />
    </div>
  );
}

/** A control for the item that a template is drawn with. */
function ShownWith({ choice: { type, state } }: { choice: ShownWithChoice }) {
  const { words, subject, sources } = usePanelWorkbench();
  const { shown } = useSyncExternalStore(state.subscribe, () => state.state);
  return (
    <div className={style.settings}>
      <p>{words.templateHint}</p>
      {shown === null ? (
        <Notice>{words.shownWithNone[type]}</Notice>
      ) : (
        <>
          <p>
            <strong>{shown ? words.shownWith({ name: shown.name }) : '…'}</strong>
          </p>
          <LinkTargetSearch
            kind={type}
            isLive
            label={words.showWith[type]}
            isDisabled={false}
            onChoose={(chosenId) => {
              state.set({ chosenId });
              sources.reload();
            }}
          />
        </>
      )}
      <TextLink href={subject.home}>{words.templateElsewhere}</TextLink>
    </div>
  );
}

/** A preview of the page's entry in search engines. */
function SearchResult({ page, input }: { page: Page; input: Input }) {
  const { words } = usePanelWorkbench();
  const address = page.url ?? `…/${page.isHomepage ? '' : input.slug}`;
  return (
    <section aria-label={words.searchResult} className={style.result}>
      <h3>{words.searchResult}</h3>
      {input.noindex ? (
        <p>{words.notFoundBySearch}</p>
      ) : (
        <>
          <small>{address}</small>
          <strong>{truncate(input.title || input.name, 60)}</strong>
          <p>{truncate(input.description, 155) || words.noDescription}</p>
        </>
      )}
    </section>
  );
}

const truncate = (text: string, maxLength: number) =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1).trimEnd()}…` : text;
