import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { isWaybillError, type Model } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useStore } from '../../api/me.ts';
import { isPreconditionFailed, useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { Revisions } from '../../shell/revisions.tsx';
import { templateName, templateOfId, useTemplateNames } from '../../shell/template-names.ts';
import { Conflict, Unsaved, useLeaving } from '../../shell/unsaved.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Facts, Notice, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { readName, revisionsQuery, sectionQuery, sectionsKey, usageQuery } from './queries.ts';
import { useSectionTexts } from './texts.ts';

/** One section: its name, and what it has been. */
export function SectionScreen() {
  const words = useSectionTexts();
  const store = useStore();
  const { sectionId } = useParams({ strict: false }) as { sectionId: string };
  if (store.can('pages.read')) return <Stored key={sectionId} id={sectionId} />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('pages.read')} />;
}

function Stored({ id }: { id: string }) {
  const words = useSectionTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const queries = useQueryClient();
  const {
    data: { section, etag },
  } = useSuspenseQuery(sectionQuery(store.id, id));
  const draft = useDraft({ name: section.name }, { document: section.document, condition: etag });
  const [question, setQuestion] = useState<'delete' | 'conflict' | null>(null);
  const { leave } = useLeaving(draft.isDirty);
  const canWrite = store.can('pages.write');
  const key = sectionsKey(store.id);
  const params = { path: { storeId: store.id, sectionId: id } };
  const close = () => setQuestion(null);

  const save = useMutation(
    // A section is written whole; what it holds is what was read, so that state is the condition.
    ({ document, condition }: { document: typeof section.document; condition: string | null }) =>
      api.put('/api/stores/{storeId}/sections/{sectionId}', {
        params,
        headers: condition ? { 'if-match': condition } : {},
        body: { name: draft.value.name, document },
      }),
    {
      done: common.saved,
      invalidates: [key],
      handles: isPreconditionFailed,
      onDone: () => draft.markSaved(),
    },
  );
  const submit = (state: Parameters<typeof save.attempt>[0]) =>
    save.attempt(state).catch((error) => {
      if (isPreconditionFailed(error)) setQuestion('conflict');
    });
  /** The name is the user's, what the section holds is whoever else's saved it. */
  async function saveOverTheirs() {
    const theirs = await queries.fetchQuery({ ...sectionQuery(store.id, id), staleTime: 0 });
    await submit({ document: theirs.section.document, condition: theirs.etag });
  }
  const remove = useMutation(() => api.delete('/api/stores/{storeId}/sections/{sectionId}', { params }), {
    done: words.deleted,
    handles: (error) => isWaybillError(error, 'invalid_state'),
    onDone() {
      draft.reset();
      leave(paths.inStore(store.id, 'sections'));
      void queries.invalidateQueries({ queryKey: key, predicate: ({ queryKey }) => queryKey[3] !== id });
    },
  });
  const holders = isWaybillError(remove.error, 'invalid_state')
    ? remove.error.problems.map(({ message }) => message)
    : null;

  return (
    <Screen
      title={section.name}
      back={<TextLink href={paths.inStore(store.id, 'sections')}>{common.backTo(words.title)}</TextLink>}
      actions={
        canWrite && (
          <Button look="danger" onPress={() => setQuestion('delete')}>
            {words.delete}
          </Button>
        )
      }
    >
      <TwoColumns
        main={
          <>
            <Form mutation={save} isKept onSubmit={() => void submit(draft.baseEtag)}>
              <Card title={words.section}>
                <TextField
                  label={common.name}
                  name="/name"
                  value={draft.value.name}
                  onChange={(name) => draft.change({ name })}
                  isRequired
                  isReadOnly={!canWrite}
                  maxLength={200}
                />
                {canWrite && (
                  <SaveBar isPending={save.isPending} isDirty={draft.isDirty} onDiscard={draft.reset} />
                )}
              </Card>
            </Form>
            <Past id={id} canWrite={canWrite} />
          </>
        }
        side={
          <>
            <Usage id={id} />
            <Card title={words.facts}>
              <LinkButton href={paths.inStore(store.id, 'sections', id, 'edit')}>
                {common.openEditor}
              </LinkButton>
              <LinkButton href={paths.inStore(store.id, 'sections', id, 'preview')}>
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
          </>
        }
      />
      <Unsaved isDirty={draft.isDirty} />
      <Conflict
        isOpen={question === 'conflict'}
        onClose={close}
        onKeepMine={() => void saveOverTheirs()}
        onTakeTheirs={() => {
          draft.reset();
          void queries.invalidateQueries({ queryKey: key });
        }}
      />
      <ConfirmDialog
        title={words.deleteTitle(section.name)}
        confirm={common.delete}
        isOpen={question === 'delete'}
        onClose={() => {
          close();
          remove.reset();
        }}
        onConfirm={() => remove.attempt(undefined)}
      >
        {holders ? (
          <Notice tone="bad" title={words.held}>
            <ul>
              {holders.map((holder) => (
                <li key={holder}>
                  <Holder message={holder} />
                </li>
              ))}
            </ul>
          </Notice>
        ) : (
          <p>{words.deleteHint}</p>
        )}
      </ConfirmDialog>
    </Screen>
  );
}

const roomOf = { page: 'pages', section: 'sections', article: 'blog' } as const;

const placeOf = ({ type, id }: Pick<Model<'SectionUser'>, 'type' | 'id'>): string[] =>
  type === 'template' ? ['design'] : [roomOf[type], id];

/** Where it stands: what a save changes there once it is published. */
function Usage({ id }: { id: string }) {
  const words = useSectionTexts();
  const store = useStore();
  const names = useTemplateNames();
  const { data: usage, error, refetch } = useQuery(usageQuery(store.id, id));
  return (
    <Card title={usage ? words.usageOf(usage.length) : words.usage}>
      {error && !usage && <Failure error={error} onRetry={() => void refetch()} />}
      {!usage && !error && <Skeleton lines={2} />}
      {usage?.length === 0 && <p>{words.unused}</p>}
      <ul>
        {usage?.map(({ type, id: userId, name, live }) => (
          <li key={userId}>
            <TextLink href={paths.inStore(store.id, ...placeOf({ type, id: userId }))}>
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

/** What holds the section, as the refusal names it: by its id, which leads there. */
function Holder({ message }: { message: string }) {
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

function Past({ id, canWrite }: { id: string; canWrite: boolean }) {
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
