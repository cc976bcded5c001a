import { useQueryClient } from '@tanstack/react-query';
import { currencies } from '@waybill/contracts/currencies';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { meQuery, useMe } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { useLanguage } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Screen } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useStoreTexts } from './texts.ts';

/** Creates a store: the first step of every new user. */
export function NewStore() {
  const words = useStoreTexts();
  const language = useLanguage();
  const queries = useQueryClient();
  const { stores } = useMe();
  const [name, setName] = useState('');
  const [currency, setCurrency] = useState('EUR');
  const names = new Intl.DisplayNames(language, { type: 'currency' });
  const create = useMutation(
    async () => {
      const { store } = await api.post('/api/stores', { body: { name, currency } });
      await queries.invalidateQueries(meQuery);
      return store;
    },
    {
      done: (store) => words.created({ name: store.name }),
      onDone: (store) => navigate(paths.store(store.id)),
    },
  );
  return (
    <Screen title={words.title} subtitle={words.subtitle} width="text">
      {stores.length === 0 && <p>{words.invited}</p>}
      <Card>
        <Form mutation={create} onSubmit={() => void create.run(undefined)}>
          <TextField
            label={words.name}
            name="/name"
            value={name}
            onChange={setName}
            isRequired
            autoFocus
            maxLength={200}
          />
          <Select
            label={words.currency}
            hint={words.currencyHint}
            name="/currency"
            choices={currencies.map((id) => ({
              id,
              text: `${id} – ${names.of(id)}`,
            }))}
            value={currency}
            onChange={setCurrency}
          />
          <Button look="primary" type="submit" isPending={create.isPending}>
            {words.create}
          </Button>
        </Form>
      </Card>
    </Screen>
  );
}
