import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { useParams } from '../../router/router.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { TextLink } from '../../ui/button.tsx';
import { Card, Facts, Screen, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, ConfirmDialog } from '../../ui/overlays.tsx';
import style from './forms.module.css';
import { usePlaces } from './places.ts';
import { listTexts, submissionQuery, submissionsKey } from './queries.ts';
import { useFormTexts } from './texts.ts';

/** The screen of a form submission. */
export function SubmissionScreen() {
  const { submissionId } = useParams<'submissionId'>();
  const store = useStore();
  const words = useFormTexts();
  if (store.can('forms.read')) return <Stored key={submissionId} id={submissionId} />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('forms.read')} />;
}

function Stored({ id }: { id: string }) {
  const words = useFormTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const queries = useQueryClient();
  const {
    data: { submission },
  } = useSuspenseQuery(submissionQuery(store.id, id));
  const { formId, createdAt } = submission;
  const place = usePlaces([formId]).get(formId)!;
  const [isAsked, setAsked] = useState(false);
  const list = paths.inStore(store.id, 'forms');
  const title = words.submission({ name: place.name });
  // The query is removed on unmount; a mounted screen would read it again.
  const isGone = useRef(false);
  useEffect(
    () => () => {
      if (isGone.current) queries.removeQueries({ queryKey: [...submissionsKey(store.id), id] });
    },
    [queries, store.id, id],
  );
  const remove = useMutation(
    () =>
      api.delete('/api/stores/{storeId}/form-submissions/{id}', {
        params: { path: { storeId: store.id, id } },
      }),
    {
      done: words.deleted,
      onDone() {
        isGone.current = true;
        // Otherwise a cached list would show the submission until it has been read again.
        queries.removeQueries({ queryKey: submissionsKey(store.id), type: 'inactive' });
        navigate(list);
      },
    },
  );
  const texts = listTexts(submission);
  return (
    <Screen
      title={title}
      subtitle={formats.dateTime(createdAt)}
      back={<TextLink href={list}>{common.backTo({ place: words.title })}</TextLink>}
      actions={
        store.can('forms.write') && (
          <ActionMenu
            label={common.actionsFor({ thing: title })}
            actions={[{ id: 'delete', text: words.delete, isDanger: true, onAction: () => setAsked(true) }]}
          />
        )
      }
    >
      <TwoColumns
        main={
          <Card title={words.values}>
            {texts.length === 0 ? (
              <p>{words.nothing}</p>
            ) : (
              <Facts
                facts={texts.map(([name, text]) => [
                  name,
                  <span key={name} className={style.text}>
                    {isAddress(text) ? <TextLink href={`mailto:${text}`}>{text}</TextLink> : text}
                  </span>,
                ])}
              />
            )}
          </Card>
        }
        side={
          <Card title={words.facts}>
            <Facts
              facts={[
                [
                  words.place,
                  place.href === null ? place.name : <TextLink href={place.href}>{place.name}</TextLink>,
                ],
                [words.form, <TextLink href={`${list}?formId=${formId}`}>{words.ofForm}</TextLink>],
                ['ID', <code key="id">{id}</code>],
              ]}
            />
          </Card>
        }
      />
      <ConfirmDialog
        title={words.deleteTitle}
        confirm={words.deleteDeed}
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={() => remove.attempt(undefined)}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Screen>
  );
}

/** Whether a text is an e-mail address that is safe in a `mailto:` link. Visitors' input must not add mail headers. */
const isAddress = (text: string) => /^[\w.+-]{1,64}@[\w-]+(\.[\w-]+)+$/.test(text);
