import type { QueryKey } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { useState } from 'react';
import { type ListSearch, useList } from '../api/list.ts';
import { useSearch } from '../router/router.tsx';
import { useCommon } from '../texts/common.ts';
import type { AuditWords } from '../texts/en/audit.ts';
import { useFormats } from '../texts/format.ts';
import { defineTexts, useTexts } from '../texts/texts.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { Empty, Facts } from '../ui/layout.tsx';
import { Actions, Dialog } from '../ui/overlays.tsx';
import type { ColumnOf } from '../ui/table.tsx';
import style from './audit.module.css';
import { ResourceList } from './resource-list.tsx';

export type AuditEntry = Model<'AuditEntry'>;
export type AuditSearch = ListSearch & { actor?: string; action?: string };

/** Query parameters of the audit log, taken from the address (`decisions.md 15.6`). */
export const auditQuery = ({ after, actor, action }: AuditSearch) => ({
  limit: 50,
  ...(after && { after }),
  ...(actor && { actor }),
  ...(action && { action: action as AuditEntry['action'] }),
});

const texts = defineTexts({
  en: () => import('../texts/en/audit.ts'),
  de: () => import('../texts/de/audit.ts'),
});

export const useAuditTexts = (): AuditWords => useTexts(texts);

const actorName = ({ type, name }: AuditEntry['actor'], words: AuditWords) =>
  name ?? { user: words.gone, key: words.unnamedKey, app: words.unnamedApp, system: words.system }[type];

/** Returns the target of an entry in words. */
export const targetName = ({ type, name, id }: AuditEntry['target'], words: AuditWords) =>
  `${words.targets[type] ?? type} ${name ?? id}`;

/** The audit log, newest first, filtered by the address. */
export function AuditList({
  queryKey,
  read,
  members,
  findHref,
}: {
  queryKey: QueryKey;
  read(
    search: AuditSearch,
    signal: AbortSignal,
  ): Promise<{ entries: AuditEntry[]; nextCursor: string | null }>;
  /** The users that the filter offers. Other actors are filtered from an entry's details. */
  members: readonly { userId: string; name: string }[];
  /** Returns the address of an entry's target, or null if no screen shows it. */
  findHref(target: AuditEntry['target']): string | null;
}) {
  const words = useAuditTexts();
  const formats = useFormats();
  const search = useSearch<AuditSearch>();
  const list = useList(queryKey, search, read);
  const [open, setOpen] = useState<AuditEntry | null>(null);
  const entries = list.data?.entries ?? [];
  const actors = [
    ...members.map(({ userId, name }) => ({ id: userId, text: name })),
    { id: 'system', text: words.system },
  ];
  // The filter may name an API key, an app or a former member; the name comes from an entry.
  if (search.actor && !actors.some(({ id }) => id === search.actor)) {
    const known = entries.find(({ actor }) => actor.id === search.actor);
    actors.push({ id: search.actor, text: known ? actorName(known.actor, words) : search.actor });
  }
  const columns: ColumnOf<AuditEntry>[] = [
    {
      id: 'what',
      title: words.what,
      isHeader: true,
      cell: ({ action, changed, target }) => (
        <span className={style.what}>
          {words.actions[action] ?? action}
          <small>
            {changed.length > 0 ? words.changed({ fields: changed.join(', ') }) : targetName(target, words)}
          </small>
        </span>
      ),
    },
    { id: 'who', title: words.who, cell: ({ actor }) => actorName(actor, words) },
    { id: 'from', title: words.from, isWide: true, cell: ({ ip }) => ip ?? '–' },
    { id: 'when', title: words.when, isEnd: true, cell: ({ at }) => formats.dateTime(at) },
  ];
  return (
    <>
      <ResourceList<AuditEntry>
        label={words.title}
        list={list}
        items={list.data?.entries}
        columns={columns}
        onOpen={setOpen}
        filters={[
          {
            name: 'action',
            label: words.what,
            any: words.anyAction,
            choices: Object.entries(words.actions).map(([id, text]) => ({ id, text })),
          },
          { name: 'actor', label: words.actor, any: words.anyActor, choices: actors },
        ]}
        empty={<Empty title={words.empty}>{words.emptyHint}</Empty>}
        summary={() => words.newest}
      />
      <Dialog title={words.details} isOpen={open !== null} onClose={() => setOpen(null)}>
        {open && (
          <Details
            entry={open}
            href={findHref(open.target)}
            onlyActor={() => {
              setOpen(null);
              list.change({ actor: open.actor.id ?? 'system' });
            }}
          />
        )}
      </Dialog>
    </>
  );
}

function Details({ entry, href, onlyActor }: { entry: AuditEntry; href: string | null; onlyActor(): void }) {
  const words = useAuditTexts();
  const common = useCommon();
  const formats = useFormats();
  const { action, actor, target, changed, at, ip, requestId } = entry;
  const name = actorName(actor, words);
  return (
    <>
      <Facts
        facts={[
          [words.what, words.actions[action] ?? action],
          [words.who, name],
          [words.actorId, actor.id && <code key="actor">{actor.id}</code>],
          [words.target, targetName(target, words)],
          [words.targetId, <code key="target">{target.id}</code>],
          [common.updated, changed.join(', ')],
          [words.when, formats.dateTime(at)],
          [words.from, ip],
          [words.request, requestId && <code key="request">{requestId}</code>],
        ]}
      />
      <Actions>
        {href && <LinkButton href={href}>{words.targets[target.type] ?? target.type}</LinkButton>}
        <Button onPress={onlyActor}>{words.onlyThisActor({ name })}</Button>
      </Actions>
    </>
  );
}
