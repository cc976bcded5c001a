import { Answer, type Handlers, jsonWithHeaders, type RouteRequest } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { buildAddresses } from './addresses.ts';
import { resolveAuthorization } from './authorization.ts';
import { authenticateClient } from './clients.ts';
import { exchangeCode } from './codes.ts';
import { noStoreHeaders, oauthErrors } from './errors.ts';
import { serverMetadata } from './metadata.ts';
import { renderProblemPage } from './page.ts';
import { type Parameters, readParameters, readRequiredParameter } from './parameters.ts';
import type { routes, TokenAnswer } from './routes.ts';
import { refreshTokens, resolveToken, revokeToken } from './tokens.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async getServerMetadata({ headers }) {
    return jsonWithHeaders(serverMetadata(buildAddresses(context.config, headers)), {
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    });
  },
  async beginAuthorization({ url, headers, log }) {
    const query = /\?(.*)$/s.exec(url)?.[1] ?? '';
    const direction = await resolveAuthorization(
      context,
      buildAddresses(context.config, headers),
      query,
      log,
    );
    if ('problem' in direction) return renderProblemPage(direction.problem);
    const { location } = direction;
    return new Answer('', 'text/html; charset=utf-8', {
      location,
      ...noStoreHeaders,
      'referrer-policy': 'no-referrer',
    });
  },
  async exchangeToken(request) {
    const { appId, parameters } = await readRequest(context, request, 'grant_type');
    return jsonWithHeaders(await exchange(context, appId, parameters), noStoreHeaders);
  },
  async revokeToken(request) {
    const { appId, parameters } = await readRequest(context, request, 'token');
    await revokeToken(context, appId, readRequiredParameter(parameters, 'token'));
  },
  resolveAppToken: ({ body }) => resolveToken(context, body.hash),
});

/**
 * Reads the parameters of a request and authenticates its app. Without the parameter `essential`, the request is
 * malformed whatever app sent it.
 */
async function readRequest(
  context: Context,
  { stream, headers, address }: Pick<RouteRequest, 'stream' | 'headers' | 'address'>,
  essential: string,
): Promise<{ appId: string; parameters: Parameters }> {
  const { authorization, 'content-type': type } = headers as Record<string, string | undefined>;
  const parameters = await readParameters(stream, type);
  readRequiredParameter(parameters, essential);
  return { appId: await authenticateClient(context, authorization, parameters, address), parameters };
}

function exchange(context: Context, appId: string, parameters: Parameters): Promise<TokenAnswer> {
  const grantType = readRequiredParameter(parameters, 'grant_type');
  if (grantType === 'authorization_code') {
    return exchangeCode(context, appId, {
      code: readRequiredParameter(parameters, 'code'),
      redirectUri: readRequiredParameter(parameters, 'redirect_uri'),
      codeVerifier: parameters.get('code_verifier'),
    });
  }
  if (grantType === 'refresh_token') {
    return refreshTokens(
      context,
      appId,
      readRequiredParameter(parameters, 'refresh_token'),
      parameters.get('scope'),
    );
  }
  throw oauthErrors.unsupported_grant_type();
}
