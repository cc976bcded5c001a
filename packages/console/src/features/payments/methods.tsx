import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { usePaymentStateTexts } from '../../shell/payment-states.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { LinkButton, TextLink } from '../../ui/button.tsx';
import { Badge, Card, Empty, Notice, Row, Screen, Skeleton } from '../../ui/layout.tsx';
import { Reorder } from '../../ui/reorder-list.tsx';
import { Switch } from '../../ui/switch.tsx';
import { methodsKey, methodsQuery, type PaymentMethod } from './queries.ts';
import { usePaymentTexts } from './texts.ts';

/** The payment methods, in the order in which shoppers see them. */
export function PaymentMethods() {
  const words = usePaymentTexts();
  const store = useStore();
  if (store.manages) return <Methods />;
  return <NoPermission title={words.methods} role={store.role} needed="admin" />;
}

function Methods() {
  const words = usePaymentTexts();
  const states = usePaymentStateTexts();
  const common = useCommon();
  const store = useStore();
  const { data, error, refetch } = useQuery(methodsQuery(store.id));
  const methods = data?.paymentMethods;
  const change = useMutation(
    ({ id, ...body }: { id: string; isEnabled?: boolean; position?: number }) =>
      api.patch('/api/stores/{storeId}/payment-methods/{methodId}', {
        params: { path: { storeId: store.id, methodId: id } },
        body,
      }),
    { done: words.saved, invalidates: [methodsKey(store.id)] },
  );
  const at = (id: string) => paths.inStore(store.id, 'payment-methods', id);
  const create = (
    <LinkButton look="primary" href={at('new')}>
      {words.newMethod}
    </LinkButton>
  );
  const enabled = methods?.filter(({ isEnabled }) => isEnabled) ?? [];
  return (
    <Screen
      title={words.methods}
      subtitle={words.methodsHint}
      back={
        <TextLink href={paths.inStore(store.id, 'payments')}>
          {common.backTo({ place: words.title })}
        </TextLink>
      }
      actions={methods && methods.length > 0 && create}
      width="text"
    >
      {enabled.some(({ isTest }) => isTest) && (
        <Notice tone="warn" title={words.testMode}>
          {words.testModeHint}
        </Notice>
      )}
      {methods && methods.length > 0 && enabled.length === 0 && <Notice>{words.noneEnabled}</Notice>}
      <Card isFlush>
        {error && !methods && <Failure error={error} onRetry={() => void refetch()} />}
        {!methods && !error && <Skeleton lines={4} />}
        {methods?.length === 0 && (
          <Empty title={words.noMethods} action={create}>
            {words.noMethodsHint}
          </Empty>
        )}
        {methods && methods.length > 0 && (
          <Reorder<PaymentMethod>
            label={words.methods}
            items={methods}
            getName={({ name }) => name}
            onMove={(id, position) => void change.run({ id, position })}
          >
            {(method) => (
              <Row isSpread>
                <Row>
                  <TextLink href={at(method.id)}>{method.name}</TextLink>
                  <small>{states.providers[method.provider]}</small>
                  {method.isTest && <Badge tone="warn">{states.test}</Badge>}
                </Row>
                <Switch
                  label={words.enabled}
                  value={method.isEnabled}
                  onChange={(isEnabled) => void change.run({ id: method.id, isEnabled })}
                />
              </Row>
            )}
          </Reorder>
        )}
      </Card>
    </Screen>
  );
}
