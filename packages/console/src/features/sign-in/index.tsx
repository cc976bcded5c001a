import { isWaybillError } from '@waybill/sdk';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { openInvitation } from '../../api/invitation.ts';
import { useMutation } from '../../api/mutation.ts';
import { session } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { useSearch } from '../../router/router.tsx';
import { SignInForm } from '../../shell/sign-in-form.tsx';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { explain, useCommon } from '../../texts/common.ts';
import { useSignInTexts } from '../../texts/sign-in.ts';
import { useLanguage } from '../../texts/texts.ts';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Notice, Row, Stack } from '../../ui/layout.tsx';
import { TextField } from '../../ui/text-field.tsx';

/** Returns the address that led to the sign-in; only addresses of the console are accepted. */
function useNext(): string {
  const { next } = useSearch<{ next?: string }>();
  return next?.startsWith('/console/') ? next : paths.start;
}

/** Returns the token of the mail's link. */
const useToken = (): string => String(useSearch<{ token?: unknown }>().token ?? '');

export function SignIn() {
  const words = useSignInTexts();
  const next = useNext();
  const accounts = useDemoAccounts();
  const enter = () => navigate(next);
  const demoSignIn = useMutation(({ email, password }: DemoAccount) => session.signIn({ email, password }), {
    onDone: enter,
  });
  return (
    <SignInFrame title={words.title} intro={words.intro}>
      <Stack>
        <SignInForm onDone={enter} />
        <Row isSpread>
          <TextLink href={paths.forgot}>{words.forgot}</TextLink>
          <span>
            {words.noAccount} <TextLink href={paths.register(next)}>{words.register}</TextLink>
          </span>
        </Row>
        {accounts.length > 0 && (
          <Notice tone="accent" title={words.demo}>
            <Row>
              {accounts.map((account) => (
                <Button
                  key={account.email}
                  size="small"
                  isDisabled={demoSignIn.isPending}
                  onPress={() => demoSignIn.run(account)}
                >
                  {account.name}
                </Button>
              ))}
            </Row>
          </Notice>
        )}
      </Stack>
    </SignInFrame>
  );
}

type DemoAccount = { name: string; email: string; password: string };

/**
 * Reads the demo accounts, on localhost only: other hosts would be refused, and the browser's console would log a
 * failed request.
 */
function useDemoAccounts(): readonly DemoAccount[] {
  const [accounts, setAccounts] = useState<readonly DemoAccount[]>([]);
  useEffect(() => {
    if (!['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)) return;
    const leaving = new AbortController();
    api.get('/api/demo', { signal: leaving.signal }).then(
      (demo) => setAccounts(demo.accounts),
      () => {},
    );
    return () => leaving.abort();
  }, []);
  return accounts;
}

export function Register() {
  const words = useSignInTexts();
  const common = useCommon();
  const next = useNext();
  const locale = useLanguage();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const register = useMutation(
    async () => {
      await api.post('/api/auth/register', { body: { name, email, password, locale } });
      await session.signIn({ email, password });
    },
    { onDone: () => navigate(next), handles: () => true },
  );
  const { error } = register;
  return (
    <SignInFrame title={words.registerTitle}>
      <Form mutation={register} onSubmit={() => void register.run(undefined)}>
        {error && !isWaybillError(error, 'invalid_body') && (
          <Notice tone="bad">{explain(error, common)}</Notice>
        )}
        <TextField
          label={words.name}
          name="/name"
          autoComplete="name"
          value={name}
          onChange={setName}
          isRequired
          autoFocus
        />
        <TextField
          label={words.email}
          name="/email"
          type="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          isRequired
        />
        <TextField
          label={words.password}
          hint={words.passwordHint}
          name="/password"
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
          minLength={10}
          isRequired
        />
        <Button look="primary" type="submit" isPending={register.isPending}>
          {words.register}
        </Button>
        <p>
          {words.haveAccount} <TextLink href={paths.signIn(next)}>{words.signIn}</TextLink>
        </p>
      </Form>
    </SignInFrame>
  );
}

export function Forgot() {
  const words = useSignInTexts();
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const send = useMutation(() => api.post('/api/auth/forgot', { body: { email } }), {
    onDone: () => setSent(true),
  });
  if (isSent) return <SignInFrame title={words.sentTitle}>{words.sentHint({ email })}</SignInFrame>;
  return (
    <SignInFrame title={words.forgotTitle} subtitle={words.forgotHint}>
      <Form mutation={send} onSubmit={() => void send.run(undefined)}>
        <TextField
          label={words.email}
          name="/email"
          type="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          isRequired
          autoFocus
        />
        <Button look="primary" type="submit" isPending={send.isPending}>
          {words.sendLink}
        </Button>
      </Form>
    </SignInFrame>
  );
}

export function Reset() {
  const words = useSignInTexts();
  const common = useCommon();
  const token = useToken();
  const [password, setPassword] = useState('');
  const [isDone, setDone] = useState(false);
  const reset = useMutation(() => api.post('/api/auth/reset', { body: { token, password } }), {
    onDone: () => setDone(true),
    handles: () => true,
  });
  if (isDone) {
    return (
      <SignInFrame title={words.resetTitle}>
        <Stack>
          <Notice tone="good">{words.resetDone}</Notice>
          <LinkButton look="primary" href={paths.signIn()}>
            {words.signIn}
          </LinkButton>
        </Stack>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={words.resetTitle}>
      <Form mutation={reset} onSubmit={() => void reset.run(undefined)}>
        {reset.error && Object.keys(reset.problems).length === 0 && (
          <Notice tone="bad" actions={<TextLink href={paths.forgot}>{words.forgot}</TextLink>}>
            {explain(reset.error, common)}
          </Notice>
        )}
        <TextField
          label={words.newPassword}
          hint={words.passwordHint}
          name="/password"
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
          minLength={10}
          isRequired
          autoFocus
        />
        <Button look="primary" type="submit" isPending={reset.isPending}>
          {words.setPassword}
        </Button>
      </Form>
    </SignInFrame>
  );
}

export function Verify() {
  const words = useSignInTexts();
  const common = useCommon();
  const token = useToken();
  const verify = useMutation(() => api.post('/api/auth/verify', { body: { token } }), {
    handles: () => true,
  });
  const [isDone, setDone] = useState(false);
  const { run } = verify;
  // The token works once, so it is used in an effect and not when the page is prefetched.
  useEffect(() => {
    void run(undefined).then((answer) => setDone(answer !== undefined));
  }, []);
  return (
    <SignInFrame title={words.verifyTitle}>
      <Stack>
        {isDone && <Notice tone="good">{words.verified}</Notice>}
        {verify.error && (
          <Notice tone="bad">
            {isWaybillError(verify.error, 'invalid_token')
              ? words.verifyFailed
              : explain(verify.error, common)}
          </Notice>
        )}
        <LinkButton look="primary" href={paths.start}>
          {words.proceed}
        </LinkButton>
      </Stack>
    </SignInFrame>
  );
}

/** Accepts an invitation. Until it is answered, the console's start leads here. */
export function Invitation() {
  const words = useSignInTexts();
  const common = useCommon();
  const token = useToken();
  const state = session.read();
  const openPath = (path: string) => {
    openInvitation.forget();
    navigate(path);
  };
  const accept = useMutation(() => api.post('/api/invitations/accept', { body: { token } }), {
    done: words.invitationDone,
    invalidates: [['me']],
    onDone: (joined) =>
      openPath('store' in joined ? paths.store(joined.store.id) : paths.inOrg(joined.org.id)),
    handles: () => true,
  });
  const isRefused = isWaybillError(accept.error, 'invalid_token');
  useEffect(() => (isRefused ? openInvitation.forget() : openInvitation.keep(token)), [isRefused, token]);
  const here = paths.invitation(token);
  // A user with another address can sign out and come back to this link. The reload clears the account's data from this
  // tab.
  const leave = useMutation(() => session.signOut(), { onDone: () => location.assign(paths.signIn(here)) });
  return (
    <SignInFrame title={words.invitationTitle}>
      {state.is === 'signedIn' ? (
        <Stack>
          {isWaybillError(accept.error, 'email_unverified') ? (
            <Notice tone="warn" actions={<TextLink href={paths.account}>{common.account}</TextLink>}>
              {words.invitationUnverified}
            </Notice>
          ) : isRefused ? (
            // The message does not say why, so that strangers learn nothing about the invitation.
            <Notice tone="bad">{words.invitationRefused({ email: state.user.email })}</Notice>
          ) : (
            accept.error && <Notice tone="bad">{explain(accept.error, common)}</Notice>
          )}
          <p>
            {words.invitationHint} <strong>{state.user.email}</strong>
          </p>
          <Row>
            <Button look="primary" isPending={accept.isPending} onPress={() => accept.run(undefined)}>
              {words.accept}
            </Button>
            <Button isPending={leave.isPending} onPress={() => leave.run(undefined)}>
              {words.otherAccount}
            </Button>
            <Button look="quiet" onPress={() => openPath(paths.start)}>
              {words.notNow}
            </Button>
          </Row>
        </Stack>
      ) : (
        <Stack>
          <p>{words.signInFirst}</p>
          <Row>
            <LinkButton look="primary" href={paths.signIn(here)}>
              {words.signIn}
            </LinkButton>
            <LinkButton href={paths.register(here)}>{words.register}</LinkButton>
          </Row>
        </Stack>
      )}
    </SignInFrame>
  );
}
