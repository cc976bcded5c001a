import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { useMe, useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { changeSearch } from '../../router/history.ts';
import { useParams, useSearch } from '../../router/router.tsx';
import { Failure } from '../../shell/problems.tsx';
import { FormSaveBar, ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { useLanguage } from '../../texts/texts.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { SearchChoice } from '../../ui/combo-box.tsx';
import { Badge, Card, Facts, Notice, Row, Screen, Skeleton } from '../../ui/layout.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { MailFrame } from './mail-frame.tsx';
import {
  findMistake,
  type Kind,
  type Locale,
  type Mistake,
  mailsKey,
  mailTemplateQuery,
  mailTemplatesQuery,
  orderChoicesQuery,
  previewQuery,
  type Template,
  type Trial,
} from './mail-queries.ts';
import { useMailTexts } from './mail-texts.ts';
import style from './mails.module.css';
import settingsStyle from './settings.module.css';

/** The largest chunk of the screen; it loads in parallel with the texts. */
const TemplateEditor = lazy(() =>
  import('../../ui/template-editor.tsx').then(({ TemplateEditor }) => ({ default: TemplateEditor })),
);

/** Edits a kind of mail in one language, beside a preview. */
export function MailTemplateScreen() {
  const { kind } = useParams() as { kind: Kind };
  const { locale } = useSearch<{ locale?: Locale }>();
  const words = useMailTexts();
  const common = useCommon();
  const store = useStore();
  const {
    data: { mailTemplate: template, etag },
  } = useSuspenseQuery(mailTemplateQuery(store.id, kind, locale));
  return (
    <Screen
      title={words.kinds[kind]}
      subtitle={words.kindHints[kind]}
      back={
        <TextLink href={paths.inStore(store.id, 'settings', 'mails')}>
          {common.backTo({ place: words.list })}
        </TextLink>
      }
    >
      {!store.manages && <Notice>{words.readOnly}</Notice>}
      <Editor key={template.locale} template={template} etag={etag} />
    </Screen>
  );
}

const noProblems = {};

/** Typing pause before the preview is updated, in milliseconds. */
const restMs = 400;

function Editor({ template, etag }: { template: Template; etag: string | null }) {
  const { kind, locale, isDefault } = template;
  const words = useMailTexts();
  const store = useStore();
  const getLanguageName = useLanguageNames();
  const [orderId, setOrderId] = useState<string | null>(null);
  const [isResetting, setResetting] = useState(false);
  const invalidates = [mailsKey(store.id)];
  const path = { storeId: store.id, kind };
  const form = useResourceForm({
    stored: { subject: template.subject, body: template.body, isEnabled: template.isEnabled },
    etag,
    canWrite: store.manages,
    // Omitted fields keep their values, so that a forced save overwrites no more than was changed.
    save: ({ value, base, headers }) =>
      api.put('/api/stores/{storeId}/mail-templates/{kind}', {
        params: { path, query: { locale } },
        headers,
        body: {
          ...(value.subject !== base.subject && { subject: value.subject }),
          ...(value.body !== base.body && { body: value.body }),
          ...(value.isEnabled !== base.isEnabled && { isEnabled: value.isEnabled }),
        },
      }),
    done: words.templateSaved,
    invalidates,
  });
  const { value, mutation } = form;
  const preview = usePreview(kind, { locale, orderId, subject: value.subject, body: value.body });
  const reset = useMutation(
    () =>
      api.delete('/api/stores/{storeId}/mail-templates/{kind}', {
        params: { path, query: { locale } },
      }),
    { done: words.isReset, invalidates, onDone: form.reset },
  );
  // The preview reports the mistake of a refused save, too. Its message disappears as soon as the mistake is fixed.
  const mistake = findMistake(preview.error);
  const isMistaken = findMistake(mutation.error) !== null;
  const shown = isMistaken ? { ...form, mutation: { ...mutation, problems: noProblems } } : form;
  return (
    <div className={style.editor}>
      <div>
        <ResourceForm form={shown} bar={null}>
          <Card
            title={words.text}
            actions={
              isDefault ? (
                <Badge>{words.isDefault}</Badge>
              ) : (
                store.manages && (
                  <Button size="small" onPress={() => setResetting(true)}>
                    {words.toDefault}
                  </Button>
                )
              )
            }
          >
            <LanguageSelect template={template} />
            <Switch label={words.isEnabled} {...form.field('isEnabled')} />
            <TextField label={words.subject} {...form.field('subject')} maxLength={500} isRequired isCode />
            <Body {...form.field('body')} mistake={mistake} />
            <Values />
            <FormSaveBar form={form} />
          </Card>
        </ResourceForm>
      </div>
      {store.manages && (
        <div>
          <Preview
            locale={locale}
            preview={preview}
            orderId={orderId}
            onOrder={setOrderId}
            trial={{ locale, orderId, subject: value.subject, body: value.body }}
            kind={kind}
          />
        </div>
      )}
      <ConfirmDialog
        title={words.toDefaultTitle}
        confirm={words.toDefault}
        isOpen={isResetting}
        onClose={() => setResetting(false)}
        onConfirm={() => reset.attempt(undefined)}
      >
        <p>{words.toDefaultHint({ language: getLanguageName(locale) })}</p>
      </ConfirmDialog>
    </div>
  );
}

function useLanguageNames() {
  const names = new Intl.DisplayNames(useLanguage(), { type: 'language' });
  return (tag: string) => names.of(tag) ?? tag;
}

/** Switches to the template in another language. */
function LanguageSelect({ template }: { template: Template }) {
  const words = useMailTexts();
  const store = useStore();
  const getLanguageName = useLanguageNames();
  const { data: all = [] } = useQuery(mailTemplatesQuery(store.id));
  const templates = all.filter(({ kind }) => kind === template.kind);
  return (
    <Select
      label={words.locale}
      choices={(templates.length > 0 ? templates : [template]).map((each) => ({
        id: each.locale,
        text: getLanguageName(each.locale),
        detail: [each.isEnabled ? words.isOn : words.isOff, each.isDefault ? words.isDefault : null]
          .filter(Boolean)
          .join(' · '),
      }))}
      value={template.locale}
      onChange={(next) => changeSearch({ locale: next }, { replaces: true, keepsScroll: false })}
    />
  );
}

/** Returns the preview of the typed text after a pause. The previous one stays while the next one loads or fails. */
function usePreview(kind: Kind, trial: Trial) {
  const store = useStore();
  const [rested, setRested] = useState(trial);
  const text = JSON.stringify(trial);
  useEffect(() => {
    const timer = setTimeout(() => setRested(JSON.parse(text)), restMs);
    return () => clearTimeout(timer);
  }, [text]);
  const query = useQuery({
    ...previewQuery(store.id, kind, rested),
    enabled: store.manages,
    placeholderData: keepPreviousData,
  });
  const last = useRef(query.data);
  if (query.data) last.current = query.data;
  return { data: query.data ?? last.current, error: query.error, refetch: query.refetch };
}

/** The editor of the body, with its mistake marked and described. */
function Body({
  value,
  onChange,
  mistake,
  isReadOnly,
}: {
  value: string;
  onChange(value: string): void;
  mistake: Mistake | null;
  isReadOnly: boolean;
}) {
  const words = useMailTexts();
  const goTo = useRef<((mistake: Mistake) => void) | null>(null);
  const inBody = mistake?.pointer === '/body' ? mistake : null;
  return (
    <>
      <strong aria-hidden>{words.body}</strong>
      <p className={settingsStyle.hint}>{words.hint}</p>
      <Suspense fallback={<Skeleton lines={12} />}>
        <TemplateEditor
          label={words.body}
          value={value}
          onChange={onChange}
          mistake={inBody}
          isReadOnly={isReadOnly}
          onReady={(ready) => {
            goTo.current = ready;
          }}
        />
      </Suspense>
      {mistake && (
        <Notice
          tone="bad"
          title={words.mistake}
          actions={
            inBody && (
              <Button size="small" onPress={() => goTo.current?.(inBody)}>
                {words.goTo}
              </Button>
            )
          }
        >
          {words.mistakeIn[mistake.pointer]}
          {' · '}
          {words.mistakeAt({
            line: String(mistake.line),
            column: String(mistake.column),
            message: mistake.message,
          })}
        </Notice>
      )}
    </>
  );
}

/** The placeholders that a template can use. */
function Values() {
  const words = useMailTexts();
  return (
    <details>
      <summary>{words.values}</summary>
      <Facts
        facts={Object.entries(words.valueHints).map(([name, hint]) => [hint, <code key={name}>{name}</code>])}
      />
    </details>
  );
}

/** A preview of the mail for one of the store's orders or a sample order. */
function Preview({
  kind,
  locale,
  preview: { data, error, refetch },
  trial,
  orderId,
  onOrder,
}: {
  kind: Kind;
  locale: Locale;
  preview: ReturnType<typeof usePreview>;
  trial: Trial;
  orderId: string | null;
  onOrder(id: string | null): void;
}) {
  const words = useMailTexts();
  const store = useStore();
  const me = useMe();
  const [view, setView] = useState<'html' | 'text'>('html');
  const [q, setQ] = useState('');
  const [chosen, setChosen] = useState<{ number: number } | null>(null);
  const canChoose = store.can('orders.read') && kind !== 'formReceived';
  const found = useQuery({ ...orderChoicesQuery(store.id, q), enabled: canChoose });
  const orders = found.data?.orders ?? [];
  const test = useMutation(
    () =>
      api.post('/api/stores/{storeId}/mail-templates/{kind}/test', {
        params: { path: { storeId: store.id, kind } },
        body: trial,
      }),
    { done: words.testSent({ email: me.user.email }), handles: (failure) => findMistake(failure) !== null },
  );
  return (
    <Card
      title={words.preview}
      actions={
        <Button
          size="small"
          isPending={test.isPending}
          isDisabled={findMistake(error) !== null}
          onPress={() => void test.run(undefined)}
        >
          {words.test}
        </Button>
      }
    >
      <p className={settingsStyle.hint}>{words.previewHint}</p>
      {canChoose && (
        <SearchChoice
          label={words.findOrder}
          placeholder={words.findOrderPlaceholder}
          empty={words.noOrder}
          isLoading={found.isPending}
          choices={orders.map(({ id, number, customer }) => ({
            id,
            text: words.ofOrder({ number }),
            detail: customer.name || customer.email,
          }))}
          onSearch={setQ}
          onChoose={(id) => {
            setChosen(orders.find((order) => order.id === id)!);
            onOrder(id);
          }}
        />
      )}
      <Row isSpread>
        <Segments<'html' | 'text'>
          label={words.viewAs}
          choices={(['html', 'text'] as const).map((id) => ({ id, text: words.views[id] }))}
          value={view}
          onChange={setView}
        />
        {orderId && (
          <Button size="small" look="quiet" onPress={() => onOrder(null)}>
            {words.useSample}
          </Button>
        )}
      </Row>
      <Facts
        facts={[
          [words.of, orderId && chosen ? words.ofOrder({ number: chosen.number }) : words.sample],
          [words.subject, data && <span lang={locale}>{data.subject}</span>],
        ]}
      />
      {error && !findMistake(error) && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={12} />}
      {data &&
        (view === 'html' ? (
          <MailFrame label={words.preview} html={data.html} lang={locale} />
        ) : (
          <Code label={words.views.text} text={data.text} />
        ))}
    </Card>
  );
}
