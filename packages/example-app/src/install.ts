import { Waybill, WaybillError } from './waybill.ts';

interface Tokens {
  access_token: string;
  refresh_token: string;
  store_id: string;
}

/** The marketplace's address and the app's credentials there. */
export interface Client {
  baseUrl: string;
  appId: string;
  clientSecret: string;
}

/**
 * One store that has installed the app: its tokens, renewed when they expire. A real app would keep them in a database.
 */
export class Install {
  readonly #client: Client;
  #tokens: Tokens;
  #renewal: Promise<Tokens> | null = null;
  /** The secret of the webhook that the app has created in the store. */
  webhookSecret = '';

  private constructor(client: Client, tokens: Tokens) {
    this.#client = client;
    this.#tokens = tokens;
  }

  /** Exchanges the code from the merchant's browser. */
  static async fromCode(
    client: Client,
    grant: { code: string; redirectUri: string; codeVerifier: string },
  ): Promise<Install> {
    const tokens = await requestTokens(client, {
      grant_type: 'authorization_code',
      code: grant.code,
      redirect_uri: grant.redirectUri,
      code_verifier: grant.codeVerifier,
    });
    return new Install(client, tokens);
  }

  get storeId(): string {
    return this.#tokens.store_id;
  }

  get accessToken(): string {
    return this.#tokens.access_token;
  }

  /** Calls the store's API; retries once with a new token if the old one has expired. */
  async call<Reply>(work: (waybill: Waybill) => Promise<Reply>): Promise<Reply> {
    const { access_token } = this.#tokens;
    try {
      return await work(new Waybill(this.#client.baseUrl, access_token));
    } catch (error) {
      if (!(error instanceof WaybillError) || error.code !== 'app_token_invalid') throw error;
      if (this.#tokens.access_token === access_token) await this.renew();
      return work(new Waybill(this.#client.baseUrl, this.#tokens.access_token));
    }
  }

  /** Exchanges the refresh token; concurrent callers wait for the same exchange. */
  async renew(): Promise<void> {
    this.#renewal ??= requestTokens(this.#client, {
      grant_type: 'refresh_token',
      refresh_token: this.#tokens.refresh_token,
    }).finally(() => {
      this.#renewal = null;
    });
    this.#tokens = await this.#renewal;
  }
}

async function requestTokens(
  { baseUrl, appId, clientSecret }: Client,
  parameters: Record<string, string>,
): Promise<Tokens> {
  const body = new URLSearchParams({ ...parameters, client_id: appId, client_secret: clientSecret });
  const reply = await fetch(`${baseUrl}/oauth/token`, { method: 'POST', body });
  const answer = await reply.json();
  if (!reply.ok) throw new WaybillError(reply.status, answer as { error: string; code: string });
  return answer as Tokens;
}
