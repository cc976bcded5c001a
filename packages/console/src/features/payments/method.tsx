import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useStore } from '../../api/me.ts';
import { isPreconditionFailed, useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { CountriesField } from '../../shell/countries-field.tsx';
import { newId, useForgetDeleted, useFormOf, useStored } from '../../shell/made.ts';
import { usePaymentStateTexts } from '../../shell/payment-states.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { Conflict, Unsaved, useLeaving } from '../../shell/unsaved.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, CopyText, Grid, Notice, Row, Screen } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import {
  bodyOf,
  draftOf,
  type MethodDraft,
  methodQuery,
  methodsKey,
  type PaymentMethod,
  type Read,
} from './queries.ts';
import { usePaymentTexts } from './texts.ts';

/** One way to pay: what shoppers see of it, and how the money comes. */
export function PaymentMethodScreen() {
  const words = usePaymentTexts();
  const store = useStore();
  const { methodId } = useParams({ strict: false }) as { methodId: string };
  const { key, continueAs } = useFormOf(methodId);
  if (!store.manages) return <NoPermission title={words.methods} role={store.role} needed="admin" />;
  return <Editor key={key} id={methodId} continueAs={continueAs} />;
}

/** What a new method begins as; the manual ones with a text that is to be completed. */
const kinds = ['stripe', 'transfer', 'delivery', 'invoice'] as const;

function Editor({ id, continueAs }: { id: string; continueAs(id: string, path: string): void }) {
  const words = usePaymentTexts();
  const states = usePaymentStateTexts();
  const common = useCommon();
  const store = useStore();
  const queries = useQueryClient();
  const blankOf = (kind: (typeof kinds)[number]): MethodDraft => ({
    provider: kind === 'stripe' ? 'stripe' : 'manual',
    name: words.kinds[kind].name,
    isEnabled: true,
    capture: 'automatic',
    instructions: words.kinds[kind].instructions,
    secretKey: '',
    webhookSecret: '',
    countries: [],
    minimumCents: null,
    maximumCents: null,
  });
  const [kind, setKind] = useState<(typeof kinds)[number] | null>(null);
  const [made, setMade] = useState<Read | null>(null);
  const read = useStored(id, methodQuery(store.id, id)) ?? made;
  const method: PaymentMethod | null = read?.paymentMethod ?? null;
  const draft = useDraft(method ? draftOf(method) : blankOf(kind ?? 'stripe'), read?.etag ?? null);
  const [isConflict, setConflict] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const key = methodsKey(store.id);
  const path = { storeId: store.id, methodId: method?.id ?? '' };
  const { leave } = useLeaving(draft.isDirty);
  const list = paths.inStore(store.id, 'payment-methods');

  const save = useMutation(
    async (condition: string | null): Promise<Read> => {
      const body = bodyOf(draft.value) as object;
      const headers = condition ? { 'if-match': condition } : {};
      if (method) {
        const { paymentMethod } = await api.patch('/api/stores/{storeId}/payment-methods/{methodId}', {
          params: { path },
          headers,
          body,
        });
        return { paymentMethod, etag: null };
      }
      const { paymentMethod } = await api.post('/api/stores/{storeId}/payment-methods', {
        params: { path: { storeId: store.id } },
        body: { provider: draft.value.provider, ...body } as never,
      });
      return queries
        .fetchQuery(methodQuery(store.id, paymentMethod.id))
        .catch(() => ({ paymentMethod, etag: null }));
    },
    {
      done: method ? words.saved : words.created,
      invalidates: [key],
      handles: isPreconditionFailed,
      fields: { invalid_credentials: '/secretKey' },
      onDone(saved) {
        draft.markSaved();
        // A secret that is stored is never shown again.
        draft.resetFields('secretKey', 'webhookSecret');
        if (method) return;
        setMade(saved);
        continueAs(
          saved.paymentMethod.id,
          paths.inStore(store.id, 'payment-methods', saved.paymentMethod.id),
        );
      },
    },
  );
  const submit = (condition: string | null) =>
    save.attempt(condition).catch((error) => {
      if (isPreconditionFailed(error)) setConflict(true);
    });
  const forget = useForgetDeleted([...key, path.methodId]);
  const remove = useMutation(
    () => api.delete('/api/stores/{storeId}/payment-methods/{methodId}', { params: { path } }),
    {
      done: words.deleted,
      onDone() {
        draft.reset();
        leave(list);
        forget();
        void queries.invalidateQueries({ queryKey: key, predicate: ({ queryKey }) => queryKey[3] !== id });
      },
    },
  );
  const { value, change } = draft;
  if (!method && id === newId && kind === null) return <ChooseKind onChoose={setKind} />;
  return (
    <Screen
      title={method?.name ?? words.newMethod}
      subtitle={
        method && (
          <Row>
            {states.providers[method.provider]}
            {method.isTest && <Badge tone="warn">{states.test}</Badge>}
          </Row>
        )
      }
      back={<TextLink href={list}>{common.backTo(words.methods)}</TextLink>}
      width="text"
      actions={
        method && (
          <Button look="danger" onPress={() => setDeleting(true)}>
            {common.delete}
          </Button>
        )
      }
    >
      {method?.isTest && (
        <Notice tone="warn" title={words.testMode}>
          {words.testModeHint}
        </Notice>
      )}
      <Form mutation={save} isKept onSubmit={() => void submit(draft.baseEtag)}>
        <Card title={words.shown}>
          <TextField
            label={common.name}
            hint={words.nameHint}
            name="/name"
            value={value.name}
            onChange={(name) => change({ name })}
            maxLength={200}
            isRequired
          />
          <TextField
            label={words.instructions}
            hint={words.instructionsHint}
            name="/instructions"
            value={value.instructions}
            onChange={(instructions) => change({ instructions })}
            maxLength={5_000}
            rows={4}
          />
          <Switch
            label={words.enabledHint}
            value={value.isEnabled}
            onChange={(isEnabled) => change({ isEnabled })}
          />
        </Card>
        {value.provider === 'stripe' && <StripeCard value={value} change={change} method={method} />}
        {value.provider !== 'manual' && (
          <Card title={words.capture}>
            <Select
              label={words.capture}
              hint={words.captureHint}
              name="/capture"
              choices={(['automatic', 'manual'] as const).map((each) => ({
                id: each,
                text: words.captures[each],
              }))}
              value={value.capture}
              onChange={(capture) => change({ capture })}
            />
          </Card>
        )}
        <Card title={words.conditions}>
          <p>{value.countries.length > 0 ? words.countriesHint : words.everyCountry}</p>
          <CountriesField
            addLabel={words.addCountry}
            removeLabel={words.removeCountry}
            name="/countries"
            value={value.countries}
            onChange={(countries) => change({ countries })}
            isDisabled={false}
          />
          <Grid>
            {(['minimumCents', 'maximumCents'] as const).map((end) => (
              <NumberField
                key={end}
                label={words[end]}
                name={`/${end}`}
                money={{ currency: store.currency, exponent: store.currencyExponent }}
                minValue={0}
                value={value[end]}
                onChange={(cents) => change({ [end]: cents })}
              />
            ))}
          </Grid>
        </Card>
        <SaveBar
          label={method ? undefined : common.create}
          isPending={save.isPending}
          isDirty={draft.isDirty}
          isReady={!method || draft.isDirty}
          {...(method && { onDiscard: draft.reset })}
        />
      </Form>
      <Unsaved isDirty={draft.isDirty} />
      <Conflict
        isOpen={isConflict}
        onClose={() => setConflict(false)}
        onKeepMine={() => void submit(null)}
        onTakeTheirs={() => {
          draft.reset();
          void queries.invalidateQueries({ queryKey: key });
        }}
      />
      <ConfirmDialog
        title={words.deleteTitle(method?.name ?? '')}
        confirm={common.delete}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.attempt(undefined)}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Screen>
  );
}

/** The first question about a new method: how the money comes. */
function ChooseKind({ onChoose }: { onChoose(kind: (typeof kinds)[number]): void }) {
  const words = usePaymentTexts();
  const common = useCommon();
  const store = useStore();
  return (
    <Screen
      title={words.newMethod}
      back={
        <TextLink href={paths.inStore(store.id, 'payment-methods')}>{common.backTo(words.methods)}</TextLink>
      }
      width="text"
    >
      {kinds.map((kind) => (
        <Card key={kind} title={words.kinds[kind].title}>
          <p>{words.kinds[kind].hint}</p>
          <Row>
            <Button onPress={() => onChoose(kind)}>{words.choose(words.kinds[kind].title)}</Button>
          </Row>
        </Card>
      ))}
    </Screen>
  );
}

function StripeCard({
  value,
  change,
  method,
}: {
  value: MethodDraft;
  change(changes: Partial<MethodDraft>): void;
  method: PaymentMethod | null;
}) {
  const words = usePaymentTexts();
  const needsSecret = method !== null && !method.hasWebhookSecret;
  return (
    <Card title="Stripe">
      <TextField
        label={words.secretKey}
        hint={method?.hasSecretKey ? words.secretKeyStored : words.secretKeyHint}
        name="/secretKey"
        type="password"
        autoComplete="off"
        value={value.secretKey}
        onChange={(secretKey) => change({ secretKey })}
        placeholder="sk_test_… / rk_test_…"
        maxLength={255}
        isRequired={!method?.hasSecretKey}
        isCode
      />
      {needsSecret && (
        <>
          <Notice tone="warn" title={words.noEvents}>
            {words.noEventsHint}
          </Notice>
          {method.webhookUrl && <CopyText text={method.webhookUrl} />}
          <TextField
            label={words.webhookSecret}
            name="/webhookSecret"
            type="password"
            autoComplete="off"
            value={value.webhookSecret}
            onChange={(webhookSecret) => change({ webhookSecret })}
            placeholder="whsec_…"
            maxLength={255}
            isCode
          />
        </>
      )}
    </Card>
  );
}
