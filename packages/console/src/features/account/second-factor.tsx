import { useState } from 'react';
import { api } from '../../api/client.ts';
import { meQuery, useMe } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, CopyButton, CopyText, Notice, Row } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './account.module.css';
import { useAccountTexts } from './texts.ts';

interface Secret {
  secret: string;
  uri: string;
}

/** Sets up codes from a phone as a second factor (`decisions.md 15.4`). */
export function SecondFactor() {
  const words = useAccountTexts();
  const { user } = useMe();
  const [secret, setSecret] = useState<Secret | null>(null);
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[] | null>(null);
  const [isEnding, setEnding] = useState(false);
  const start = useMutation(() => api.post('/api/me/totp'), { onDone: setSecret });
  return (
    <Card
      title={words.secondFactor}
      actions={
        <Badge tone={user.totpEnabled ? 'good' : 'neutral'}>
          {user.totpEnabled ? words.isOn : words.isOff}
        </Badge>
      }
    >
      <p>{words.secondFactorHint}</p>
      <Row>
        {user.totpEnabled ? (
          <Button onPress={() => setEnding(true)}>{words.turnOff}</Button>
        ) : (
          <Button isPending={start.isPending} onPress={() => start.run(undefined)}>
            {words.turnOn}
          </Button>
        )}
      </Row>
      <Dialog title={words.scan} isOpen={secret !== null} onClose={() => setSecret(null)}>
        {secret && (
          <Confirm
            {...secret}
            onDone={(codes) => {
              setSecret(null);
              setRecoveryCodes(codes);
            }}
            onClose={() => setSecret(null)}
          />
        )}
      </Dialog>
      <RecoveryCodes codes={recoveryCodes} onClose={() => setRecoveryCodes(null)} />
      <Dialog title={words.turnOffTitle} isOpen={isEnding} onClose={() => setEnding(false)} size="small">
        <TurnOff onClose={() => setEnding(false)} />
      </Dialog>
    </Card>
  );
}

/** The field that shows an error about a wrong code. */
const fields = { invalid_code: '/code' };

function Confirm({
  secret,
  uri,
  onDone,
  onClose,
}: Secret & { onDone(recoveryCodes: readonly string[]): void; onClose(): void }) {
  const words = useAccountTexts();
  const common = useCommon();
  const [code, setCode] = useState('');
  const confirm = useMutation(
    () => api.post('/api/me/totp/confirm', { body: { code: code.replaceAll(' ', '') } }),
    {
      done: words.turnedOn,
      invalidates: [meQuery.queryKey],
      fields,
      onDone: ({ recoveryCodes }) => onDone(recoveryCodes),
    },
  );
  return (
    <Form mutation={confirm} onSubmit={() => void confirm.run(undefined)}>
      <p>{words.scanHint}</p>
      <QrCode label={words.qrCode} text={uri} />
      <div>
        <strong>{words.secret}</strong>
        <CopyText text={secret.match(/.{1,4}/g)?.join(' ') ?? secret} />
        <small>{words.secretWarning}</small>
      </div>
      <TextField
        label={words.code}
        hint={words.confirmHint}
        name="/code"
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        onChange={setCode}
        maxLength={100}
        isRequired
        autoFocus
      />
      <Actions>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button look="primary" type="submit" isPending={confirm.isPending}>
          {words.confirm}
        </Button>
      </Actions>
    </Form>
  );
}

/** Shows the recovery codes once. A click outside does not close the dialog, so that they are not lost. */
function RecoveryCodes({ codes, onClose }: { codes: readonly string[] | null; onClose(): void }) {
  const words = useAccountTexts();
  const text = codes?.join('\n') ?? '';
  const download = () => {
    const url = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = words.recoveryFile;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <Dialog title={words.recoveryTitle} isOpen={codes !== null} onClose={() => {}} isAlert>
      <Notice tone="warn">{words.recoveryWarning}</Notice>
      <ul className={style.codes}>
        {codes?.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Actions>
        <CopyButton text={text} />
        <Button size="small" onPress={download}>
          {words.download}
        </Button>
        <Button look="primary" onPress={onClose}>
          {words.recoveryDone}
        </Button>
      </Actions>
    </Dialog>
  );
}

function TurnOff({ onClose }: { onClose(): void }) {
  const words = useAccountTexts();
  const common = useCommon();
  const [code, setCode] = useState('');
  const remove = useMutation(() => api.delete('/api/me/totp', { body: { code: code.replaceAll(' ', '') } }), {
    done: words.turnedOff,
    invalidates: [meQuery.queryKey],
    fields,
    onDone: onClose,
  });
  return (
    <Form mutation={remove} onSubmit={() => void remove.run(undefined)}>
      <p>{words.turnOffHint}</p>
      <TextField
        label={words.code}
        hint={words.codeHint}
        name="/code"
        autoComplete="one-time-code"
        value={code}
        onChange={setCode}
        maxLength={100}
        isRequired
        autoFocus
      />
      <Actions>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button look="danger" type="submit" isPending={remove.isPending}>
          {words.turnOff}
        </Button>
      </Actions>
    </Form>
  );
}
