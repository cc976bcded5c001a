import { useState } from 'react';
import { useFormats } from '../texts/format.ts';
import { History } from '../ui/history.tsx';
import { Badge, Card, Skeleton } from '../ui/layout.tsx';
import { ConfirmDialog } from '../ui/overlays.tsx';
import { Failure } from './problems.tsx';

/** Texts that a feature provides for the revisions of its document. */
interface RevisionWords {
  history: string;
  historyHint: string;
  historyEmpty?: string;
  kinds: Readonly<Record<'draft' | 'published', string>>;
  by(args: { name: string }): string;
  elements(args: { count: number }): string;
  look: string;
  lookLabel(args: { at: string }): string;
  restore: string;
  restoreLabel(args: { at: string }): string;
  restoreTitle: string;
  restoreHint(args: { at: string }): string;
}

/** The revisions, newest first; the first is the current one. */
interface RevisionsRead {
  data:
    | {
        revisions: readonly {
          id: string;
          kind: 'draft' | 'published';
          createdAt: string;
          userName: string | null;
          nodes: number;
        }[];
      }
    | undefined;
  error: Error | null;
  refetch(): unknown;
}

/** The revisions of a document, which can be restored. `look` is the address of the preview. */
export function Revisions({
  words,
  read: { data, error, refetch },
  look,
  onRestore,
}: {
  words: RevisionWords;
  read: RevisionsRead;
  look: string;
  /** Missing: the user may not restore. */
  onRestore: ((revisionId: string) => Promise<unknown>) | undefined;
}) {
  const formats = useFormats();
  const [restored, setRestored] = useState<{ id: string; at: string } | null>(null);
  const describeRevision = (
    { id, kind, createdAt, userName, nodes }: NonNullable<typeof data>['revisions'][number],
    position: number,
  ) => {
    const at = formats.dateTime(createdAt);
    const isPresent = position === 0;
    return {
      id,
      kind: <Badge tone={kind === 'published' ? 'good' : 'neutral'}>{words.kinds[kind]}</Badge>,
      title: `${at} ${userName ? words.by({ name: userName }) : ''}`,
      detail: words.elements({ count: nodes }),
      look: {
        text: words.look,
        label: words.lookLabel({ at }),
        href: look + (isPresent ? '' : `?revision=${id}`),
      },
      back:
        onRestore && !isPresent
          ? { text: words.restore, label: words.restoreLabel({ at }), onPress: () => setRestored({ id, at }) }
          : undefined,
    };
  };
  return (
    <Card title={words.history}>
      <p>{words.historyHint}</p>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={4} />}
      {data?.revisions.length === 0 && words.historyEmpty && <p>{words.historyEmpty}</p>}
      <History states={(data?.revisions ?? []).map(describeRevision)} />
      <ConfirmDialog
        title={words.restoreTitle}
        confirm={words.restore}
        isOpen={restored !== null}
        onClose={() => setRestored(null)}
        onConfirm={() => onRestore!(restored!.id)}
        isDanger={false}
      >
        {restored && words.restoreHint({ at: restored.at })}
      </ConfirmDialog>
    </Card>
  );
}
