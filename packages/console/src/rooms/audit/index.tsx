import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import type { AuditWords } from '../../texts/en/audit.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Card, Empty, Facts, Screen } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import { type ColumnOf, Pager, Table } from '../../ui/table.tsx';
import style from './audit.module.css';
import { type AuditSearch, actorsQuery, auditKey, type Entry, readAudit } from './queries.ts';
import { useAuditTexts } from './texts.ts';

export function Audit() {
  const store = useStore();
  const words = useAuditTexts();
  if (store.manages) return <List />;
  return <NoPermission title={words.title} role={store.role} needed="admin" />;
}

const actorName = ({ type, name }: Entry['actor'], words: AuditWords) =>
  name ?? { user: words.gone, key: words.unnamedKey, app: words.unnamedApp, system: words.system }[type];

const targetName = ({ type, name, id }: Entry['target'], words: AuditWords) =>
  `${words.targets[type] ?? type} ${name ?? id}`;

/** The room where a thing is shown, as far as there is one. */
const rooms: Partial<Record<Entry['target']['type'], string>> = {
  app: 'apps',
  webhook: 'webhooks',
  page: 'pages',
  section: 'sections',
  article: 'blog',
  order: 'orders',
};

function List() {
  const words = useAuditTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const search = useSearch({ strict: false }) as AuditSearch;
  const list = useList(auditKey(store.id), search, (given, signal) => readAudit(store.id, given, signal));
  const { data: members = [] } = useQuery(actorsQuery(store.id));
  const [open, setOpen] = useState<Entry | null>(null);
  const entries = list.data?.entries ?? [];
  const actors = [
    ...members.map(({ userId, name }) => ({ id: userId, text: name })),
    { id: 'system', text: words.system },
  ];
  // A key, an app, somebody who has left: known by the entry that led to it.
  if (search.actor && !actors.some(({ id }) => id === search.actor)) {
    const known = entries.find(({ actor }) => actor.id === search.actor);
    actors.push({ id: search.actor, text: known ? actorName(known.actor, words) : search.actor });
  }
  const columns: ColumnOf<Entry>[] = [
    {
      id: 'what',
      title: words.what,
      isHeader: true,
      cell: ({ action, changed, target }) => (
        <span className={style.what}>
          {words.actions[action] ?? action}
          <small>{changed.length > 0 ? words.changed(changed.join(', ')) : targetName(target, words)}</small>
        </span>
      ),
    },
    { id: 'who', title: words.who, cell: ({ actor }) => actorName(actor, words) },
    { id: 'from', title: words.from, isWide: true, cell: ({ ip }) => ip ?? '–' },
    { id: 'when', title: words.when, isEnd: true, cell: ({ at }) => formats.dateTime(at) },
  ];
  const isFiltered = search.actor !== undefined || search.action !== undefined;
  return (
    <Screen title={words.title} subtitle={words.subtitle}>
      <Card isFlush>
        <Filters>
          <Select
            label={words.what}
            isLabelHidden
            choices={[
              { id: 'any', text: words.anyAction },
              ...Object.entries(words.actions).map(([id, text]) => ({ id, text })),
            ]}
            value={search.action ?? 'any'}
            onChange={(action) => list.change({ action: action === 'any' ? undefined : action })}
          />
          <Select
            label={words.actor}
            isLabelHidden
            choices={[{ id: 'any', text: words.anyActor }, ...actors]}
            value={search.actor ?? 'any'}
            onChange={(actor) => list.change({ actor: actor === 'any' ? undefined : actor })}
          />
        </Filters>
        {list.error && !list.data ? (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <Table<Entry>
            label={words.title}
            columns={columns}
            items={entries}
            onOpen={setOpen}
            isLoading={list.isFetching}
            empty={
              isFiltered ? (
                <Empty
                  title={common.nothingFound}
                  action={
                    <Button onPress={() => list.change({ actor: undefined, action: undefined })}>
                      {common.clearFilters}
                    </Button>
                  }
                >
                  {common.nothingFoundHint}
                </Empty>
              ) : (
                <Empty title={words.empty}>{words.emptyHint}</Empty>
              )
            }
          />
        )}
        {entries.length > 0 && (
          <Pager summary={words.newest} onNext={list.onNext} onPrevious={list.onPrevious} />
        )}
      </Card>
      <Dialog title={words.details} isOpen={open !== null} onClose={() => setOpen(null)}>
        {open && (
          <Details
            entry={open}
            onlyActor={() => {
              setOpen(null);
              list.change({ actor: open.actor.id ?? 'system' });
            }}
          />
        )}
      </Dialog>
    </Screen>
  );
}

function Details({ entry, onlyActor }: { entry: Entry; onlyActor(): void }) {
  const words = useAuditTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const { action, actor, target, changed, at, ip, requestId } = entry;
  const room = rooms[target.type];
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
        {room && (
          <LinkButton href={paths.inStore(store.id, room, target.id)}>
            {words.targets[target.type] ?? target.type}
          </LinkButton>
        )}
        <Button onPress={onlyActor}>{words.onlyThisActor(name)}</Button>
      </Actions>
    </>
  );
}
