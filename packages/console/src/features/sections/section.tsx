import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { isWaybillError, type Model } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { useParams } from '../../router/router.tsx';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { FormSaveBar, ResourceForm, useRemoval, useResourceForm } from '../../shell/resource-form.tsx';
import { Revisions } from '../../shell/revisions.tsx';
import { templateName, templateOfId, useTemplateNames } from '../../shell/template-names.ts';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { Badge, Card, Facts, Notice, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { readName, revisionsQuery, type Section, sectionQuery, sectionsKey, usageQuery } from './queries.ts';
import { useSectionTexts } from './texts.ts';

/** The screen of a section: its name and revisions. */
export function SectionScreen() {
  const words = useSectionTexts();
  const store = useStore();
  const { sectionId } = useParams<'sectionId'>();
  if (store.can('pages.read')) return <Stored key={sectionId} id={sectionId} />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('pages.read')} />;
}

function Stored({ id }: { id: string }) {
  const words = useSectionTexts();
  const common = useCommon();
  const store = useStore();
  const queries = useQueryClient();
  const {
    data: { section, etag },
  } = useSuspenseQuery(sectionQuery(store.id, id));
  const [isDeleting, setDeleting] = useState(false);
  const canWrite = store.can('pages.write');
  const key = sectionsKey(store.id);
  const list = paths.inStore(store.id, 'sections');
  const params = { path: { storeId: store.id, sectionId: id } };
  const form = useResourceForm({
    stored: { name: section.name },
    // A save replaces the whole section, so the document must come from the same read as the ETag.
    etag: { document: section.document, condition: etag },
    canWrite,
    async save({ value, baseEtag, isForced }) {
      // A forced save changes only the name and keeps the document as another user saved it.
      const theirs = isForced
        ? await queries.fetchQuery({ ...sectionQuery(store.id, id), staleTime: 0 })
        : { section: baseEtag, etag: baseEtag.condition };
      return api.put('/api/stores/{storeId}/sections/{sectionId}', {
        params,
        headers: theirs.etag ? { 'if-match': theirs.etag } : {},
        body: { name: value.name, document: theirs.section.document },
      });
    },
    done: common.saved,
    invalidates: [key],
  });
  const remove = useRemoval(form, {
    remove: () => api.delete('/api/stores/{storeId}/sections/{sectionId}', { params }),
    done: words.deleted,
    leaveTo: list,
    handles: (error) => isWaybillError(error, 'invalid_state'),
    onRemoved: () =>
      void queries.invalidateQueries({ queryKey: key, predicate: ({ queryKey }) => queryKey[3] !== id }),
  });

  return (
    <Screen
      title={section.name}
      back={<TextLink href={list}>{common.backTo({ place: words.title })}</TextLink>}
      actions={
        canWrite && (
          <Button look="danger" onPress={() => setDeleting(true)}>
            {words.delete}
          </Button>
        )
      }
    >
      <TwoColumns
        main={
          <>
            <ResourceForm form={form} bar={null}>
              <Card title={words.section}>
                <TextField label={common.name} {...form.field('name')} isRequired maxLength={200} />
                <FormSaveBar form={form} />
              </Card>
            </ResourceForm>
            <RevisionsCard id={id} canWrite={canWrite} />
          </>
        }
        side={
          <>
            <UsageCard id={id} />
            <FactsCard section={section} />
          </>
        }
      />
      <ConfirmDialog
        title={words.deleteTitle({ name: section.name })}
        confirm={common.delete}
        isOpen={isDeleting}
        onClose={() => {
          setDeleting(false);
          remove.reset();
        }}
        onConfirm={() => remove.attempt()}
      >
        <DeletionNotice error={remove.error} />
      </ConfirmDialog>
    </Screen>
  );
}

/** Warns before a deletion. After a refused one, lists the documents that use the section. */
function DeletionNotice({ error }: { error: Error | null }) {
  const words = useSectionTexts();
  if (!isWaybillError(error, 'invalid_state')) return <p>{words.deleteHint}</p>;
  return (
    <Notice tone="bad" title={words.held}>
      <ul>
        {error.problems.map(({ message }) => (
          <li key={message}>
            <UsageMessage message={message} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function FactsCard({ section }: { section: Section }) {
  const words = useSectionTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  return (
    <Card title={words.facts}>
      <LinkButton href={paths.inStore(store.id, 'sections', section.id, 'edit')}>
        {common.openEditor}
      </LinkButton>
      <LinkButton href={paths.inStore(store.id, 'sections', section.id, 'preview')}>
        {words.preview}
      </LinkButton>
      <Facts
        facts={[
          [words.elementsTitle, formats.number(section.document.nodes.length)],
          [words.savedAt, formats.dateTime(section.savedAt)],
          [common.created, formats.dateTime(section.createdAt)],
          ['ID', <code key="id">{section.id}</code>],
        ]}
      />
    </Card>
  );
}

const featureByType = { page: 'pages', section: 'sections', article: 'blog' } as const;

const getPathSegments = ({ type, id }: Pick<Model<'SectionUser'>, 'type' | 'id'>): string[] =>
  type === 'template' ? ['design'] : [featureByType[type], id];

/** The documents that use the section, and that its publication changes. */
function UsageCard({ id }: { id: string }) {
  const words = useSectionTexts();
  const store = useStore();
  const names = useTemplateNames();
  const { data: usage, error, refetch } = useQuery(usageQuery(store.id, id));
  return (
    <Card title={usage ? words.usageOf({ count: usage.length }) : words.usage}>
      {error && !usage && <Failure error={error} onRetry={() => void refetch()} />}
      {!usage && !error && <Skeleton lines={2} />}
      {usage?.length === 0 && <p>{words.unused}</p>}
      <ul>
        {usage?.map(({ type, id: userId, name, live }) => (
          <li key={userId}>
            <TextLink href={paths.inStore(store.id, ...getPathSegments({ type, id: userId }))}>
              {type === 'template' ? templateName(names, name) : name}
            </TextLink>{' '}
            {live && <Badge tone="good">{words.live}</Badge>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const features = { pag: 'pages', sec: 'sections', art: 'blog' } as const;

/** A document that uses the section, from the message of a refused deletion. The id in the message gives the link. */
function UsageMessage({ message }: { message: string }) {
  const store = useStore();
  const names = useTemplateNames();
  const [id, prefix] = /^([a-z]{3})_\w+/.exec(message) ?? [];
  const feature = features[prefix as keyof typeof features];
  const { data: name } = useQuery({
    queryKey: ['stores', store.id, 'name-of', id],
    enabled: feature !== undefined,
    queryFn: ({ signal }) => readName(store.id, id!, signal),
  });
  if (prefix === 'tpl') {
    return <TextLink href={paths.inStore(store.id, 'design')}>{templateOfId(names, id!)}</TextLink>;
  }
  if (!feature) return message;
  return <TextLink href={paths.inStore(store.id, feature, id!)}>{name ?? id}</TextLink>;
}

function RevisionsCard({ id, canWrite }: { id: string; canWrite: boolean }) {
  const words = useSectionTexts();
  const store = useStore();
  const read = useQuery(revisionsQuery(store.id, id));
  const restore = useMutation(
    (revisionId: string) =>
      api.post('/api/stores/{storeId}/sections/{sectionId}/revisions/{revisionId}/restore', {
        params: { path: { storeId: store.id, sectionId: id, revisionId } },
      }),
    { done: words.restored, invalidates: [sectionsKey(store.id)] },
  );
  return (
    <Revisions
      words={words}
      read={read}
      look={paths.inStore(store.id, 'sections', id, 'preview')}
      onRestore={canWrite ? restore.attempt : undefined}
    />
  );
}
