import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { meQuery } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Empty, Row } from '../../ui/layout.tsx';
import { Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { Table } from '../../ui/table.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type Org, orgKey, storesQuery } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

/** The development stores, in which members test their apps. */
export function Stores({ org }: { org: Org }) {
  const words = useDeveloperTexts();
  const common = useCommon();
  const formats = useFormats();
  const { data, error, isLoading, refetch } = useQuery(storesQuery(org.id));
  const [isNew, setNew] = useState(false);
  const [name, setName] = useState('');
  const [closing, setClosing] = useState<{ id: string; name: string } | null>(null);
  const invalidates = [orgKey(org.id), meQuery.queryKey];
  const create = useMutation(
    () => api.post('/api/orgs/{orgId}/stores', { params: { path: { orgId: org.id } }, body: { name } }),
    {
      done: ({ store }) => words.storeCreated({ name: store.name }),
      invalidates,
      onDone() {
        setNew(false);
        setName('');
      },
    },
  );
  const close = useMutation(
    (storeId: string) =>
      api.delete('/api/orgs/{orgId}/stores/{storeId}', { params: { path: { orgId: org.id, storeId } } }),
    { done: words.storeClosed, invalidates },
  );
  return (
    <Card
      title={words.stores}
      isFlush
      actions={
        <Button look="primary" onPress={() => setNew(true)}>
          {words.newStore}
        </Button>
      }
    >
      {error && !data ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label={words.stores}
          isLoading={isLoading}
          items={data ?? []}
          columns={[
            { id: 'name', title: common.name, cell: (store) => store.name },
            {
              id: 'created',
              title: common.created,
              isWide: true,
              cell: ({ createdAt }) => formats.date(createdAt),
            },
            {
              id: 'actions',
              title: common.actions,
              isEnd: true,
              cell: (store) => (
                <Row>
                  {store.role ? (
                    <LinkButton
                      size="small"
                      href={paths.store(store.id)}
                      aria-label={`${words.openStore}: ${store.name}`}
                    >
                      {words.openStore}
                    </LinkButton>
                  ) : (
                    <Badge>{words.notYours}</Badge>
                  )}
                  {org.role === 'owner' && store.role === 'owner' && (
                    <Button
                      size="small"
                      look="quiet"
                      aria-label={`${words.closeStoreNow}: ${store.name}`}
                      onPress={() => setClosing(store)}
                    >
                      {words.closeStore}
                    </Button>
                  )}
                </Row>
              ),
            },
          ]}
          empty={<Empty title={words.storesEmpty}>{words.storesEmptyHint}</Empty>}
        />
      )}
      <Dialog title={words.newStore} isOpen={isNew} onClose={() => setNew(false)} size="small">
        <Form mutation={create} onSubmit={() => void create.run(undefined)}>
          <TextField
            label={common.name}
            name="/name"
            value={name}
            onChange={setName}
            isRequired
            autoFocus
            maxLength={200}
          />
          <Actions>
            <Button look="primary" type="submit" isPending={create.isPending}>
              {common.create}
            </Button>
          </Actions>
        </Form>
      </Dialog>
      <ConfirmDialog
        title={words.closeStoreTitle({ name: closing?.name ?? '' })}
        confirm={words.closeStoreNow}
        isOpen={closing !== null}
        onClose={() => setClosing(null)}
        onConfirm={() => close.attempt(closing!.id)}
      >
        {words.closeStoreHint}
      </ConfirmDialog>
    </Card>
  );
}
