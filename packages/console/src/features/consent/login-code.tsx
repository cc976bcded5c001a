import { api } from '../../api/client.ts';
import { useMe } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { QueriesProvider } from '../../api/queries-provider.tsx';
import { useSearch } from '../../router/router.tsx';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { explain, useCommon } from '../../texts/common.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Notice, Row, Stack } from '../../ui/layout.tsx';

const texts = defineTexts({
  en: () => import('../../texts/en/login-code.ts'),
  de: () => import('../../texts/de/login-code.ts'),
});

/** A program's login request, from the address to which the program sent the browser. */
interface LoginRequest {
  challenge: string;
  port: number;
  state: string;
}

function useLoginRequest(): LoginRequest | null {
  const { challenge, port: given, state } = useSearch<Record<string, unknown>>();
  const port = Number(given);
  const isWhole = /^[\w-]{43}$/.test(String(challenge)) && /^[\w-]{1,100}$/.test(String(state));
  if (!isWhole || !Number.isInteger(port) || port < 1024 || port > 65_535) return null;
  return { challenge: String(challenge), port, state: String(state) };
}

/** Asks whether a program on this computer may sign in as the current user (`decisions.md 15.10`). */
export function LoginCodeScreen() {
  const words = useTexts(texts);
  const asked = useLoginRequest();
  if (!asked) {
    return (
      <SignInFrame title={words.title}>
        <Notice tone="bad">{words.broken}</Notice>
      </SignInFrame>
    );
  }
  return (
    <QueriesProvider>
      <Question asked={asked} />
    </QueriesProvider>
  );
}

function Question({ asked: { challenge, port, state } }: { asked: LoginRequest }) {
  const words = useTexts(texts);
  const common = useCommon();
  const { user } = useMe();
  // The code goes only to this computer, where the program that made the challenge listens.
  const goBack = (outcome: Record<string, string>) =>
    location.assign(`http://127.0.0.1:${port}/?${new URLSearchParams({ ...outcome, state })}`);
  const agree = useMutation(() => api.post('/api/me/login-codes', { body: { codeChallenge: challenge } }), {
    onDone: ({ code }) => goBack({ code }),
    invalidates: [],
    handles: () => true,
  });
  return (
    <SignInFrame title={words.title} subtitle={user.email}>
      <Stack>
        <p>{words.asks({ name: user.name })}</p>
        <p>
          {words.compare} <strong>{challenge.slice(0, 8)}</strong>
        </p>
        <Notice tone="warn">{words.only}</Notice>
        {agree.error && <Notice tone="bad">{explain(agree.error, common)}</Notice>}
        <Row>
          <Button look="primary" isPending={agree.isPending} onPress={() => agree.run(undefined)}>
            {words.agree}
          </Button>
          <Button isDisabled={agree.isPending} onPress={() => goBack({ error: 'access_denied' })}>
            {words.decline}
          </Button>
        </Row>
      </Stack>
    </SignInFrame>
  );
}
