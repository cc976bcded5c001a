import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { type Problems, useMutation } from '../../api/mutation.ts';
import { Unsaved } from '../../shell/unsaved.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, Notice, Row, Skeleton } from '../../ui/layout.tsx';
import { toast } from '../../ui/toasts.tsx';
import style from './developer.module.css';
import { parseBlocks } from './manifest.ts';
import { useAppId, useOrgId } from './parts.tsx';
import { appKey, type VersionDetails } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

/** The largest chunk of the feature, loaded only where it is used. */
const JsonEditor = lazy(() =>
  import('../../ui/json-editor.tsx').then(({ JsonEditor }) => ({ default: JsonEditor })),
);

const ManifestPreview = lazy(() =>
  import('./manifest-preview.tsx').then(({ ManifestPreview }) => ({ default: ManifestPreview })),
);

const none: Problems = {};

/** Edits a version's blocks as a manifest (`store-api.md 2.11`). */
export function Blocks({
  version,
  problems: found,
  onDirty,
}: {
  version: VersionDetails;
  /** Problems of the last submission, by JSON pointer into the manifest. */
  problems: Problems;
  onDirty(isDirty: boolean): void;
}) {
  const words = useDeveloperTexts();
  const orgId = useOrgId();
  const appId = useAppId();
  const draft = useDraft({ text: JSON.stringify({ blocks: version.blocks }, null, 2) });
  const goTo = useRef<((pointer: string) => void) | null>(null);
  const [last, setLast] = useState<'save' | 'submit'>('submit');
  const { text } = draft.value;
  /** The text that the server's problems refer to. They are hidden once the text changes. */
  const [judged, setJudged] = useState(text);
  /** Problems found in the browser while the user types. */
  const [own, setOwn] = useState(none);
  const typed = useRef(text);
  typed.current = text;
  useEffect(() => {
    setLast('submit');
    setJudged(typed.current);
  }, [found]);
  useEffect(() => onDirty(draft.isDirty), [draft.isDirty, onDirty]);
  const save = useMutation(
    (blocks: unknown[]) =>
      api.put('/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/blocks', {
        params: { path: { orgId, appId, versionId: version.id } },
        // Sent even if it is invalid: the server reports the problems.
        body: { blocks: blocks as VersionDetails['blocks'] },
      }),
    { done: words.blocksSaved, invalidates: [appKey(orgId, appId)], onDone: () => draft.markSaved() },
  );
  function run() {
    const blocks = parseBlocks(text);
    if (blocks === null) return toast(words.notJson, 'bad');
    setLast('save');
    setJudged(text);
    void save.run(blocks);
  }
  const isDraft = version.state === 'draft';
  const theirs = last === 'save' ? save.problems : found;
  const entries = useMemo(
    () =>
      Object.entries({ ...own, ...(text === judged && theirs) }).filter(([pointer]) =>
        pointer.startsWith('/blocks'),
      ),
    [own, theirs, text, judged],
  );
  const problems = useMemo(() => Object.fromEntries(entries), [entries]);
  return (
    <>
      <Card
        title={words.blocks}
        actions={
          isDraft && (
            <Button look="primary" isDisabled={!draft.isDirty} isPending={save.isPending} onPress={run}>
              {words.saveBlocks}
            </Button>
          )
        }
      >
        <p className={style.muted}>{words.blocksHint}</p>
        <Suspense fallback={<Skeleton lines={10} />}>
          <JsonEditor
            label={words.blocks}
            value={text}
            onChange={(text) => draft.change({ text })}
            problems={problems}
            isReadOnly={!isDraft}
            onReady={(ready) => {
              goTo.current = ready;
            }}
          />
        </Suspense>
        {entries.length > 0 && (
          <ProblemList entries={entries} onChoose={(pointer) => goTo.current?.(pointer)} />
        )}
        <Unsaved isDirty={draft.isDirty} />
      </Card>
      <Suspense fallback={<Skeleton lines={10} />}>
        <ManifestPreview text={text} appId={appId} onProblems={setOwn} />
      </Suspense>
    </>
  );
}

/** Problems of the manifest; each leads to its place in the text. */
function ProblemList({
  entries,
  onChoose,
}: {
  entries: readonly (readonly [pointer: string, message: string])[];
  onChoose(pointer: string): void;
}) {
  const words = useDeveloperTexts();
  return (
    <Notice tone="bad" title={words.problems({ count: entries.length })}>
      <ul className={style.problems}>
        {entries.map(([pointer, message]) => (
          <li key={pointer}>
            <Row>
              <Button size="small" look="quiet" onPress={() => onChoose(pointer)}>
                {pointer}
              </Button>
              <span>{message}</span>
            </Row>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
