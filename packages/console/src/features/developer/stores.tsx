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
  const [closedStore, setClosedStore] = useState<{ id: string; name: string } | null>(null);
  const close = useMutation(
    (storeId: string) =>
      api.delete('/api/orgs/{orgId}/stores/{storeId}', { params: { path: { orgId: org.id, storeId } } }),
    { done: words.storeClosed, invalidates: getStoreKeys(org) },
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
                      onPress={() => setClosedStore(store)}
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
      <NewStoreDialog org={org} isOpen={isNew} onClose={() => setNew(false)} />
      <ConfirmDialog
        title={words.closeStoreTitle({ name: closedStore?.name ?? '' })}
        confirm={words.closeStoreNow}
        isOpen={closedStore !== null}
        onClose={() => setClosedStore(null)}
        onConfirm={() => close.attempt(closedStore!.id)}
      >
        {words.closeStoreHint}
      </ConfirmDialog>
    </Card>
  );
}

const getStoreKeys = (org: Org) => [orgKey(org.id), meQuery.queryKey];

/** Creates a development store. A typed name is kept if the dialog is closed. */
function NewStoreDialog({ org, isOpen, onClose }: { org: Org; isOpen: boolean; onClose(): void }) {
  const words = useDeveloperTexts();
  const common = useCommon();
  const [name, setName] = useState('');
  const create = useMutation(
    () => api.post('/api/orgs/{orgId}/stores', { params: { path: { orgId: org.id } }, body: { name } }),
    {
      done: ({ store }) => words.storeCreated({ name: store.name }),
      invalidates: getStoreKeys(org),
      onDone() {
        onClose();
        setName('');
      },
    },
  );
  return (
    <Dialog title={words.newStore} isOpen={isOpen} onClose={onClose} size="small">
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
  );
}
