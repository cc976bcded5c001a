import { lazy, Suspense, useState } from 'react';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Empty, Screen } from '../../ui/layout.tsx';
import { ActionMenu } from '../../ui/overlays.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import style from './forms.module.css';
import { usePlaces } from './places.ts';
import {
  listTexts,
  readSubmissions,
  type Submission,
  type SubmissionSearch,
  submissionsKey,
} from './queries.ts';
import { useFormTexts } from './texts.ts';

/** The form submissions of visitors. */
export function SubmissionList() {
  const words = useFormTexts();
  const store = useStore();
  if (store.can('forms.read')) return <Submissions />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('forms.read')} />;
}

/** Loads on demand, because most visits export nothing. */
const SubmissionExport = lazy(async () => ({ default: (await import('./export.tsx')).SubmissionExport }));

function Submissions() {
  const words = useFormTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const search = useSearch<SubmissionSearch>();
  const list = useList(submissionsKey(store.id), search, (given, signal) =>
    readSubmissions(store.id, given, signal),
  );
  const [isExporting, setExporting] = useState(false);
  const items = list.data?.formSubmissions ?? [];
  const { formId } = search;
  const places = usePlaces([...(formId ? [formId] : []), ...items.map((item) => item.formId)]);
  const getPlace = (item: Submission) => places.get(item.formId)!.name;
  const columns: ColumnOf<Submission>[] = [
    {
      id: 'values',
      title: words.values,
      isHeader: true,
      cell: (item) => (
        <>
          <Summary item={item} />
          <small className={style.text}>{getPlace(item)}</small>
        </>
      ),
    },
    {
      id: 'created',
      title: words.sent,
      sort: 'created',
      cell: ({ createdAt }) => formats.dateTime(createdAt),
    },
  ];
  return (
    <Screen
      title={words.title}
      actions={
        <ActionMenu
          label={common.actionsFor({ thing: words.title })}
          actions={[{ id: 'export', text: words.export, onAction: () => setExporting(true) }]}
        />
      }
    >
      <ResourceList
        label={words.title}
        list={list}
        items={items}
        columns={columns}
        getHref={({ id }) => paths.inStore(store.id, 'forms', id)}
        filters={
          places.size > 0
            ? [
                {
                  name: 'formId',
                  label: words.form,
                  any: words.anyForm,
                  choices: [...places].map(([id, { name }]) => ({ id, text: name })),
                },
              ]
            : []
        }
        sort={{ by: 'created', dir: 'desc' }}
        empty={
          <Empty
            title={words.empty}
            action={
              store.can('pages.read') ? (
                <LinkButton href={paths.inStore(store.id, 'pages')}>{words.toPages}</LinkButton>
              ) : undefined
            }
          >
            {words.emptyHint}
          </Empty>
        }
        summary={words.count}
      />
      {isExporting && (
        <Suspense>
          <SubmissionExport formId={formId} places={places} onClose={() => setExporting(false)} />
        </Suspense>
      )}
    </Screen>
  );
}

/** Maximum number of values in a row. */
const mostShown = 4;
const mostLetters = 120;

function Summary({ item }: { item: Submission }) {
  const words = useFormTexts();
  const texts = listTexts(item);
  if (texts.length === 0) return words.nothing;
  return texts.slice(0, mostShown).map(([name, text]) => {
    const letters = [...text.replaceAll('\n', ' ')];
    const shown = letters.slice(0, mostLetters).join('');
    return (
      <span key={name} className={style.text}>
        <small>{name}</small> {letters.length > mostLetters ? `${shown}…` : shown}
      </span>
    );
  });
}
