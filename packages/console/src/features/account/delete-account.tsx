import { isWaybillError } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { useCommon } from '../../texts/common.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Notice, Row } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { signOut } from './sessions.tsx';
import { useAccountTexts } from './texts.ts';

/** Deletes the account (`decisions.md 15.7`). */
export function DeleteAccount() {
  const words = useAccountTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <Card title={words.deleteAccount}>
      <p>{words.deleteHint}</p>
      <Row>
        <Button look="danger" onPress={() => setOpen(true)}>
          {words.deleteAccount}
        </Button>
      </Row>
      <Dialog title={words.deleteTitle} isOpen={isOpen} onClose={() => setOpen(false)} size="small">
        <Confirm onClose={() => setOpen(false)} />
      </Dialog>
    </Card>
  );
}

function Confirm({ onClose }: { onClose(): void }) {
  const words = useAccountTexts();
  const common = useCommon();
  const { user } = useMe();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const remove = useMutation(
    () =>
      api.delete('/api/me', {
        body: { password, ...(user.totpEnabled && { code: code.replaceAll(' ', '') }) },
      }),
    {
      fields: { invalid_login: ['/password', words.wrongPassword], invalid_code: '/code' },
      handles: (error) => isWaybillError(error, 'last_owner'),
      onDone: () => void signOut(),
    },
  );
  const { error } = remove;
  return (
    <Form mutation={remove} onSubmit={() => void remove.run(undefined)}>
      {isWaybillError(error, 'last_owner') && <OwnedResources body={error.body} />}
      <p>{words.deleteHint}</p>
      <TextField
        label={words.currentPassword}
        name="/password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
        autoFocus
      />
      {user.totpEnabled && (
        <TextField
          label={words.code}
          hint={words.codeHint}
          name="/code"
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
          maxLength={100}
          isRequired
        />
      )}
      <Actions>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button look="danger" type="submit" isPending={remove.isPending}>
          {words.deleteDeed}
        </Button>
      </Actions>
    </Form>
  );
}

/** The stores and organisations that prevent the deletion, each with a link. */
function OwnedResources({ body }: { body: Readonly<Record<string, unknown>> }) {
  const words = useAccountTexts();
  const me = useMe();
  const { storeIds = [], orgIds = [] } = body as { storeIds?: string[]; orgIds?: string[] };
  return (
    <Notice tone="bad" title={words.lastOwnerTitle}>
      {words.lastOwnerHint}
      <ul>
        {storeIds.map((id) => (
          <li key={id}>
            <TextLink href={paths.inStore(id, 'members')}>
              {me.stores.find((store) => store.id === id)?.name ?? id}
            </TextLink>
          </li>
        ))}
        {orgIds.map((id) => (
          <li key={id}>
            <TextLink href={paths.inOrg(id)}>
              {me.orgs.find((org) => org.id === id)?.name ?? words.organisation({ id })}
            </TextLink>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
