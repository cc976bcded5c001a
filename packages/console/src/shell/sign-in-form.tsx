import { isWaybillError } from '@waybill/sdk';
import { useState } from 'react';
import { useMutation } from '../api/mutation.ts';
import { session } from '../api/session.ts';
import { explain, useCommon } from '../texts/common.ts';
import { useSignInTexts } from '../texts/sign-in.ts';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/layout.tsx';
import { TextField } from '../ui/text-field.tsx';

/** E-mail, password and, if the account has a second factor, a code. With `email`, only that user can sign in. */
export function SignInForm({
  email: known,
  hasFocus = true,
  onDone,
}: {
  email?: string;
  /** Whether the form takes the focus when it opens. */
  hasFocus?: boolean;
  onDone(): void;
}) {
  const common = useCommon();
  const words = useSignInTexts();
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState<string | null>(null);
  const signIn = useMutation(
    () => session.signIn({ email, password, ...(code !== null && { code: code.replaceAll(' ', '') }) }),
    { onDone, handles: () => true },
  );
  const { error } = signIn;
  const submit = async () => {
    await signIn.attempt(undefined).catch((failure) => {
      if (isWaybillError(failure, 'totp_required')) setCode('');
    });
  };
  const isAsked = isWaybillError(error, 'totp_required');
  return (
    <Form mutation={signIn} onSubmit={submit}>
      {error && !isAsked && <Notice tone="bad">{explain(error, common)}</Notice>}
      <TextField
        label={words.email}
        name="/email"
        type="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        isRequired
        isReadOnly={known !== undefined}
        autoFocus={hasFocus && known === undefined}
      />
      <TextField
        label={words.password}
        name="/password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
        autoFocus={hasFocus && known !== undefined}
      />
      {code !== null && (
        <TextField
          label={words.code}
          hint={words.codeHint}
          name="/code"
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
          isRequired
          autoFocus
        />
      )}
      <Button look="primary" type="submit" isPending={signIn.isPending}>
        {words.signIn}
      </Button>
    </Form>
  );
}
