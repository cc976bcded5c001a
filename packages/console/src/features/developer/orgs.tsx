import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Empty, Screen } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { PagedTable } from './parts.tsx';
import { orgsKey, toPageQuery } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

/** The organisations of the signed-in user. */
export function OrgList() {
  const words = useDeveloperTexts();
  const common = useCommon();
  const formats = useFormats();
  const [isNew, setNew] = useState(false);
  const create = (
    <Button look="primary" onPress={() => setNew(true)}>
      {words.newOrg}
    </Button>
  );
  return (
    <Screen title={words.title} actions={create}>
      <PagedTable
        title={words.orgs}
        queryKey={[...orgsKey, 'list']}
        read={async (search, signal) => {
          const { orgs, ...rest } = await api.get('/api/orgs', {
            params: { query: toPageQuery(search) },
            signal,
          });
          return { items: orgs, ...rest };
        }}
        getHref={({ id }) => paths.inOrg(id)}
        columns={[
          { id: 'name', title: common.name, cell: ({ name }) => name },
          { id: 'role', title: words.role, cell: ({ role }) => words.roles[role] },
          {
            id: 'created',
            title: common.created,
            isEnd: true,
            isWide: true,
            cell: ({ createdAt }) => formats.date(createdAt),
          },
        ]}
        empty={<Empty title={words.orgsEmpty}>{words.orgsEmptyHint}</Empty>}
      />
      {isNew && <NewOrg onClose={() => setNew(false)} />}
    </Screen>
  );
}

function NewOrg({ onClose }: { onClose(): void }) {
  const words = useDeveloperTexts();
  const common = useCommon();
  const [name, setName] = useState('');
  const create = useMutation(() => api.post('/api/orgs', { body: { name } }), {
    done: words.orgCreated,
    invalidates: [orgsKey],
    onDone: ({ org }) => navigate(paths.inOrg(org.id)),
  });
  return (
    <Dialog title={words.newOrg} isOpen onClose={onClose} size="small">
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
