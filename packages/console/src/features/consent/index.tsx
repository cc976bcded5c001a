import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { Permission } from '@waybill/contracts/permissions';
import { isWaybillError } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { getRoleRights, useMe } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { QueriesProvider } from '../../api/queries-provider.tsx';
import { useSearch } from '../../router/router.tsx';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { explain, useCommon } from '../../texts/common.ts';
import { usePermissionWords } from '../../texts/permissions.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Notice, Row, Skeleton, Stack } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import style from './consent.module.css';

const texts = defineTexts({
  en: () => import('../../texts/en/consent.ts'),
  de: () => import('../../texts/de/consent.ts'),
});

/** An app's request for consent, as the server passed it on after validating it. */
interface ConsentRequest {
  clientId: string;
  redirectUri: string;
  codeChallenge: string;
  state: string | undefined;
}

function useConsentRequest(): ConsentRequest | null {
  const search = useSearch<Record<string, string | undefined>>();
  const { client_id: clientId, redirect_uri: redirectUri, code_challenge: codeChallenge, state } = search;
  if (!clientId || !redirectUri || !codeChallenge || !URL.canParse(redirectUri)) return null;
  return { clientId, redirectUri, codeChallenge, state };
}

/** Asks the merchant whether an app may get the requested access to a store (`decisions.md 14.1`). */
export function ConsentScreen() {
  const words = useTexts(texts);
  const request = useConsentRequest();
  if (!request) {
    return (
      <SignInFrame title={words.title({ app: '–' })}>
        <Notice tone="bad">{words.broken}</Notice>
      </SignInFrame>
    );
  }
  return (
    <QueriesProvider>
      <Question request={request} />
    </QueriesProvider>
  );
}

function Question({ request }: { request: ConsentRequest }) {
  const words = useTexts(texts);
  const common = useCommon();
  const me = useMe();
  const own = me.stores.filter(({ role }) => getRoleRights(role).manages);
  const [storeId, setStoreId] = useState(own[0]?.id ?? null);
  const appId = request.clientId;
  const { data: app } = useSuspenseQuery({
    queryKey: ['apps', appId],
    queryFn: async ({ signal }) =>
      (await api.get('/api/apps/{appId}', { params: { path: { appId } }, signal })).app,
  });
  const { install, isLoading } = useInstall(storeId, appId);
  const access = install ?? app;
  const scopes: readonly Permission[] = install ? install.grantedScopes : app.scopes;
  const answer = useMutation(
    async (decline: boolean) => {
      const { redirectUri, codeChallenge, state } = request;
      return api.post('/api/stores/{storeId}/apps/{appId}/authorize', {
        params: { path: { storeId: storeId!, appId } },
        body: {
          redirectUri,
          codeChallenge,
          scopes: [...scopes],
          connectOrigins: access.connectOrigins,
          ...(state !== undefined && { state }),
          ...(decline && { decline }),
        },
      });
    },
    {
      // Leads to the app's own page, outside the console.
      onDone: ({ redirectTo }) => location.assign(redirectTo),
      invalidates: [['apps', appId]],
      handles: () => true,
    },
  );
  const isAway = install !== null && install.state !== 'installed';
  return (
    <SignInFrame title={words.title({ app: app.name })} subtitle={words.by({ org: app.orgName })}>
      <Stack>
        {own.length === 0 ? (
          <Notice tone="warn">{words.noStore}</Notice>
        ) : (
          <Select
            label={words.store}
            choices={own.map(({ id, name }) => ({ id, text: name }))}
            value={storeId}
            onChange={setStoreId}
          />
        )}
        {isLoading ? (
          <Skeleton lines={4} />
        ) : (
          <RequestedAccess
            title={
              install
                ? words.alreadyThere({ app: app.name })
                : scopes.length > 0
                  ? words.asks({ app: app.name })
                  : words.asksNothing({ app: app.name })
            }
            scopes={scopes}
            connectOrigins={access.connectOrigins}
          />
        )}
        {isAway && <Notice tone="warn">{words.disabled({ app: app.name })}</Notice>}
        {answer.error && (
          <Notice tone="bad">
            {isWaybillError(answer.error, 'consent_required') ? words.changed : explain(answer.error, common)}
          </Notice>
        )}
        <p className={style.leads}>{words.leadsTo({ host: new URL(request.redirectUri).host })}</p>
        <Row>
          <Button
            look="primary"
            isPending={answer.isPending}
            isDisabled={storeId === null || isAway || isLoading}
            onPress={() => answer.run(false)}
          >
            {install ? words.again : words.agree}
          </Button>
          <Button isDisabled={storeId === null || answer.isPending} onPress={() => answer.run(true)}>
            {words.decline}
          </Button>
        </Row>
      </Stack>
    </SignInFrame>
  );
}

/** Reads the app's installation in a store; null if it is not installed. */
function useInstall(storeId: string | null, appId: string) {
  // Searches the list, because reading an app that is not installed would be an error.
  const { data, isLoading } = useQuery({
    queryKey: ['stores', storeId, 'apps', 'all'],
    enabled: storeId !== null,
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/apps', {
        params: { path: { storeId: storeId! }, query: { limit: 200 } },
        signal,
      }),
  });
  const install = data?.apps.find((each) => each.appId === appId && each.state !== 'uninstalled') ?? null;
  return { install, isLoading };
}

function RequestedAccess({
  title,
  scopes,
  connectOrigins,
}: {
  title: string;
  scopes: readonly Permission[];
  connectOrigins: readonly string[];
}) {
  const words = useTexts(texts);
  const { describePermission } = usePermissionWords();
  return (
    <div>
      <p>{title}</p>
      <ul className={style.asks}>
        {scopes.map((scope) => (
          <li key={scope}>{describePermission(scope)}</li>
        ))}
      </ul>
      {connectOrigins.length > 0 && (
        <>
          <p>{words.connects}</p>
          <ul className={style.asks}>
            {connectOrigins.map((origin) => (
              <li key={origin}>
                <code>{origin}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
