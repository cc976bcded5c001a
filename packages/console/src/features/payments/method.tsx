import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { CountriesField } from '../../shell/countries-field.tsx';
import { usePaymentStateTexts } from '../../shell/payment-states.ts';
import { NoPermission } from '../../shell/problems.tsx';
import {
  type Fields,
  FormSaveBar,
  ResourceForm,
  type ResourceProps,
  ResourceRoute,
  useRemoval,
  useResource,
  useResourceForm,
} from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Badge, Card, CopyText, Grid, Notice, Row, Screen } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import {
  buildBody,
  type MethodDraft,
  methodQuery,
  methodsKey,
  type PaymentMethod,
  type Read,
  toDraft,
} from './queries.ts';
import { usePaymentTexts } from './texts.ts';

/** The screen of a payment method: what shoppers see, and how the money arrives. */
export function PaymentMethodScreen() {
  const words = usePaymentTexts();
  const store = useStore();
  if (!store.manages) return <NoPermission title={words.methods} role={store.role} needed="admin" />;
  return <ResourceRoute param="methodId" title={words.methods} form={Editor} />;
}

/** Kinds of new methods. Manual ones start with a text to be completed. */
const kinds = ['stripe', 'transfer', 'delivery', 'invoice'] as const;
type Kind = (typeof kinds)[number];

function Editor(props: ResourceProps) {
  const words = usePaymentTexts();
  const states = usePaymentStateTexts();
  const common = useCommon();
  const store = useStore();
  const [kind, setKind] = useState<Kind | null>(null);
  const { method, form } = useMethodForm(props, kind ?? 'stripe');
  const remove = useMethodRemoval(method?.id ?? '', form);
  const [isDeleting, setDeleting] = useState(false);
  if (!method && kind === null) return <ChooseKind onChoose={setKind} />;
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
      back={
        <TextLink href={paths.inStore(store.id, 'payment-methods')}>
          {common.backTo({ place: words.methods })}
        </TextLink>
      }
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
      <ResourceForm
        form={form}
        bar={
          <FormSaveBar
            form={form}
            isNew={!method}
            isReady={!method || form.isDirty}
            hasDiscard={method !== null}
          />
        }
      >
        <ShownCard form={form} />
        {form.value.provider === 'stripe' && <StripeCard form={form} method={method} />}
        {form.value.provider !== 'manual' && <CaptureCard form={form} />}
        <ConditionsCard form={form} />
      </ResourceForm>
      <ConfirmDialog
        title={words.deleteTitle({ name: method?.name ?? '' })}
        confirm={common.delete}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.attempt()}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Screen>
  );
}

/** The payment method and its form. A new method of the given kind is created by the first save. */
function useMethodForm(props: ResourceProps, kind: Kind) {
  const words = usePaymentTexts();
  const store = useStore();
  const queries = useQueryClient();
  const createBlank = (kind: Kind): MethodDraft => ({
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
  const { read, adopt } = useResource(props, methodQuery(store.id, props.id));
  const method: PaymentMethod | null = read?.paymentMethod ?? null;
  const form = useResourceForm({
    stored: method ? toDraft(method) : createBlank(kind),
    etag: read?.etag ?? null,
    async save({ value, headers }): Promise<Pick<Read, 'paymentMethod'>> {
      const body = buildBody(value) as object;
      if (method)
        return api.patch('/api/stores/{storeId}/payment-methods/{methodId}', {
          params: { path: { storeId: store.id, methodId: method.id } },
          headers,
          body,
        });
      const { paymentMethod } = await api.post('/api/stores/{storeId}/payment-methods', {
        params: { path: { storeId: store.id } },
        body: { provider: value.provider, ...body } as never,
      });
      return queries.fetchQuery(methodQuery(store.id, paymentMethod.id)).catch(() => ({ paymentMethod }));
    },
    done: method ? words.saved : words.created,
    invalidates: [methodsKey(store.id)],
    fields: { invalid_credentials: '/secretKey' },
    onSaved(saved, draft) {
      // Stored secrets are never shown again, so their fields are emptied.
      draft.resetFields('secretKey', 'webhookSecret');
      adopt(
        saved,
        saved.paymentMethod.id,
        paths.inStore(store.id, 'payment-methods', saved.paymentMethod.id),
      );
    },
  });
  return { method, form };
}

function useMethodRemoval(methodId: string, form: ReturnType<typeof useMethodForm>['form']) {
  const words = usePaymentTexts();
  const store = useStore();
  const queries = useQueryClient();
  const key = methodsKey(store.id);
  return useRemoval(form, {
    remove: () =>
      api.delete('/api/stores/{storeId}/payment-methods/{methodId}', {
        params: { path: { storeId: store.id, methodId } },
      }),
    done: words.deleted,
    leaveTo: paths.inStore(store.id, 'payment-methods'),
    queryKey: [...key, methodId],
    onRemoved: () =>
      void queries.invalidateQueries({
        queryKey: key,
        predicate: ({ queryKey }) => queryKey[3] !== methodId,
      }),
  });
}

/** Asks how the money arrives, as the first step of a new method. */
function ChooseKind({ onChoose }: { onChoose(kind: Kind): void }) {
  const words = usePaymentTexts();
  const common = useCommon();
  const store = useStore();
  return (
    <Screen
      title={words.newMethod}
      back={
        <TextLink href={paths.inStore(store.id, 'payment-methods')}>
          {common.backTo({ place: words.methods })}
        </TextLink>
      }
      width="text"
    >
      {kinds.map((kind) => (
        <Card key={kind} title={words.kinds[kind].title}>
          <p>{words.kinds[kind].hint}</p>
          <Row>
            <Button onPress={() => onChoose(kind)}>{words.choose({ kind: words.kinds[kind].title })}</Button>
          </Row>
        </Card>
      ))}
    </Screen>
  );
}

/** The name and the instructions that shoppers see. */
function ShownCard({ form }: { form: Fields<MethodDraft> }) {
  const words = usePaymentTexts();
  const common = useCommon();
  return (
    <Card title={words.shown}>
      <TextField
        label={common.name}
        hint={words.nameHint}
        {...form.field('name')}
        maxLength={200}
        isRequired
      />
      <TextField
        label={words.instructions}
        hint={words.instructionsHint}
        {...form.field('instructions')}
        maxLength={5_000}
        rows={4}
      />
      <Switch label={words.enabledHint} {...form.field('isEnabled')} />
    </Card>
  );
}

/** When the money is collected. */
function CaptureCard({ form }: { form: Fields<MethodDraft> }) {
  const words = usePaymentTexts();
  return (
    <Card title={words.capture}>
      <Select
        label={words.capture}
        hint={words.captureHint}
        choices={(['automatic', 'manual'] as const).map((each) => ({
          id: each,
          text: words.captures[each],
        }))}
        {...form.field('capture')}
      />
    </Card>
  );
}

/** The countries and amounts that the method is offered for. */
function ConditionsCard({ form }: { form: Fields<MethodDraft> }) {
  const words = usePaymentTexts();
  const store = useStore();
  return (
    <Card title={words.conditions}>
      <p>{form.value.countries.length > 0 ? words.countriesHint : words.everyCountry}</p>
      <CountriesField
        addLabel={words.addCountry}
        removeLabel={words.removeCountry}
        {...form.field('countries')}
        isDisabled={false}
      />
      <Grid>
        {(['minimumCents', 'maximumCents'] as const).map((end) => (
          <NumberField
            key={end}
            label={words[end]}
            money={{ currency: store.currency, exponent: store.currencyExponent }}
            minValue={0}
            {...form.field(end)}
          />
        ))}
      </Grid>
    </Card>
  );
}

function StripeCard({ form, method }: { form: Fields<MethodDraft>; method: PaymentMethod | null }) {
  const words = usePaymentTexts();
  const needsSecret = method !== null && !method.hasWebhookSecret;
  return (
    <Card title="Stripe">
      <TextField
        label={words.secretKey}
        hint={method?.hasSecretKey ? words.secretKeyStored : words.secretKeyHint}
        type="password"
        autoComplete="off"
        {...form.field('secretKey')}
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
            type="password"
            autoComplete="off"
            {...form.field('webhookSecret')}
            placeholder="whsec_…"
            maxLength={255}
            isCode
          />
        </>
      )}
    </Card>
  );
}
