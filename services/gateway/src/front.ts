import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { ApiError, errors, newId } from '@waybill/contracts';
import {
  addressHeader,
  answerError,
  continueTrace,
  createAdmissionQueue,
  createPrincipalSigner,
  currentTrace,
  FairCapacity,
  type Front,
  getNetwork,
  hostHeader,
  ownOriginHeader,
  parsePath,
  prepareAnswer,
  principalHeader,
  rateLimitHeaders,
  redactPath,
  refusedRequests,
  strictHeaders,
  traceHeader,
  withServerSpan,
} from '@waybill/kernel';
import { type Admission, BearerAdmission } from './admission.ts';
import type { Context } from './config.ts';
import { createConsole } from './console.ts';
import { anyOriginHeaders, isForAnyOrigin, isPreflight, preflight } from './origins.ts';
import { decodePath } from './own-origins.ts';
import { findTarget, isPaymentReport, parseStoreId, type Target } from './prefixes.ts';
import { classifyAnswer, createSecurityHeaders, isConsoleHost } from './security-headers.ts';
import { createUserTokens } from './user-tokens.ts';

/**
 * Creates the handler of all public requests. It uses plain node:http instead of Express, because every request of the
 * system passes here and needs only a look at the path and the bearer (the README has measurements).
 */
export function createFront(context: Context): Front {
  const front = new FrontHandler(context);
  return (req, res, next) => front.receive(req, res, next);
}

class FrontHandler {
  readonly #context: Context;
  readonly #bearers: BearerAdmission;
  readonly #sign: ReturnType<typeof createPrincipalSigner>;
  readonly #consoleFiles: ReturnType<typeof createConsole>;
  readonly #admissionQueue = createAdmissionQueue();
  readonly #capacity: FairCapacity;
  readonly #security: ReturnType<typeof createSecurityHeaders>;
  /** Prepared once, so that refusing a request costs as little as possible. */
  readonly #answerOverloaded = prepareAnswer(
    errors.resource_unavailable({ headers: { 'retry-after': '1' } }),
  );

  constructor(context: Context) {
    const { config, log, peers } = context;
    this.#context = context;
    this.#bearers = new BearerAdmission(context, createUserTokens(peers));
    this.#sign = createPrincipalSigner(config.principalKey);
    this.#consoleFiles = createConsole(log, config.baseUrl);
    this.#capacity = new FairCapacity(config.maxRequestsInFlight);
    this.#security = createSecurityHeaders(config);
  }

  /** Takes in a request. `next` answers those that the gateway's own routes answer. */
  receive(req: IncomingMessage, res: ServerResponse, next: () => void): void {
    toOriginForm(req);
    const requestId = plausibleRequestId(req.headers['x-request-id']) ?? newId('event').slice(4);
    // Health is answered at once, even if the process has more work than it can handle.
    const isHealth = req.url === '/healthz';
    if (!isHealth) {
      const leave = this.#admissionQueue.isTooLong()
        ? null
        : this.#capacity.acquire(getNetwork(clientAddress(req, this.#context.config.trustedProxyHops)));
      if (!leave) {
        this.#refuseOverload(req, res, requestId);
        return;
      }
      res.once('close', leave);
    }
    res.setHeader('x-request-id', requestId);
    setHeaders(res, this.#security.everywhere);
    if (isHealth) this.#startRequest(req, res, requestId, next);
    else this.#admissionQueue.enter(res, () => this.#startRequest(req, res, requestId, next));
  }

  /** Refuses a request before any work, at the lowest possible cost. */
  #refuseOverload(req: IncomingMessage, res: ServerResponse, requestId: string): void {
    refusedRequests.inc({ reason: 'overloaded' });
    const headers = { 'x-request-id': requestId, ...this.#security.everywhere, ...strictHeaders(req) };
    this.#answerOverloaded(req, res, headers);
  }

  #startRequest(req: IncomingMessage, res: ServerResponse, requestId: string, next: () => void): void {
    const { parent, traceparent } = continueTrace(req.headers[traceHeader]);
    // `tracestate` belongs to the trace that was not continued.
    if (!parent) delete req.headers.tracestate;
    const span = { service: 'gateway', name: req.method!, parent, attributes: () => describeRequest(req) };
    withServerSpan(span, traceparent, res, () => this.#handle(req, res, requestId, next)).catch((error) => {
      refusedRequests.inc({ reason: error instanceof ApiError ? error.code : 'internal_error' });
      if (error.status === 401) res.setHeader('www-authenticate', createChallenge(error.code));
      setHeaders(res, strictHeaders(req));
      answerError(error, req, res, this.#context.log);
    });
  }

  async #handle(
    req: IncomingMessage,
    res: ServerResponse,
    requestId: string,
    next: () => void,
  ): Promise<void> {
    const { config, peers, state } = this.#context;
    const { ownOrigins } = state;
    req.headers[traceHeader] = currentTrace();
    checkHost(req);
    const path = parsePath(req.url!);
    if (isForAnyOrigin(path)) {
      setHeaders(res, anyOriginHeaders);
      if (isPreflight(req)) return void res.writeHead(204, preflight).end();
    }
    const named = ownOrigins.findSite(req.headers.host);
    const site = named instanceof Promise ? await named : named;
    setHeaders(res, this.#security.of(classifyAnswer(path, site !== null)));
    if (site?.isFormer) return redirect(res, ownOrigins.movedTo(site, req), 301);
    const home = ownOrigins.findHome(req, site);
    // The answer at `/s/` is either a redirect or the page, depending on this header.
    if (config.sites.domain && path.startsWith('/s/')) res.setHeader('vary', 'Sec-Fetch-Dest');
    if (home !== null) return redirect(res, home);
    const target = site === null ? findTarget(path) : await ownOrigins.targetAt(site, req, path);
    if (req.url!.startsWith('/s/')) req.url = withReadablePath(req.url!);
    const address = clientAddress(req, config.trustedProxyHops);
    if (!target) return this.#answerWithoutTarget(req, res, { path, address }, next);
    if (target !== 'unknown' && peers.isShedding(target.service))
      return this.#refuseOverload(req, res, requestId);
    const principalToken = await this.#admit(req, res, { target, path, address });
    if (target === 'unknown') throw errors.unknown_resource();
    if (target.service === 'gateway') {
      req.headers[principalHeader] = principalToken;
      req.headers[addressHeader] = address;
      return next();
    }
    if (!peers.has(target.service)) throw errors.resource_unavailable({ headers: { 'retry-after': '60' } });
    peers.forward(target.service, req, res, {
      'x-request-id': requestId,
      [principalHeader]: principalToken,
      [addressHeader]: address,
      [hostHeader]: req.headers.host,
      [ownOriginHeader]: site === null ? undefined : 'yes',
      // The credential ends here; the service gets the principal instead.
      ...(principalToken && { authorization: undefined }),
      ...(!target.takesCookies && { cookie: readCookie(req, target.takesCookie) }),
    });
  }

  /** Answers a request to a path that no service has: the console, a redirect to it, or a route of the gateway. */
  async #answerWithoutTarget(
    req: IncomingMessage,
    res: ServerResponse,
    { path, address }: { path: string; address: string },
    next: () => void,
  ): Promise<void> {
    // A request without a target must not carry a principal.
    delete req.headers[principalHeader];
    if (path.startsWith('/internal/')) throw errors.not_found();
    if (this.#consoleFiles.isAt(path)) {
      if (!isConsoleHost(req.headers.host, this.#context.config.systemHost)) throw errors.not_found();
      return this.#consoleFiles.answer(req, res, path);
    }
    if (path === '/' && prefersHtml(req)) return redirect(res, '/console/');
    req.headers[addressHeader] = address;
    next();
  }

  /**
   * Returns the signed principal of a request; undefined if its target needs none. Unknown paths need one too, so that
   * only clients with a credential learn which paths exist.
   * @throws the refusal of the bearer, rate_limited
   */
  async #admit(
    req: IncomingMessage,
    res: ServerResponse,
    { target, path, address }: { target: Target | 'unknown'; path: string; address: string },
  ): Promise<string | undefined> {
    const bearer = target === 'unknown' ? 'store' : target.bearer;
    if (bearer === 'none') return undefined;
    const { authorization } = req.headers;
    const admission =
      bearer === 'store'
        ? await this.#bearers.admitCredential(authorization, address, isPaymentReport(req.method, path))
        : await this.#bearers.admitUser(authorization, parseStoreId(path));
    this.#applyRateLimit(res, admission);
    if ('refusal' in admission) throw admission.refusal;
    return target === 'unknown' ? undefined : this.#sign(admission.cacheKey, admission.principal);
  }

  /**
   * Sets the rate-limit fields of the IETF draft on every answer, and answers 429 with Retry-After if the limit is used
   * up: `decisions.md 1.12`.
   */
  #applyRateLimit(res: ServerResponse, { rate }: Admission): void {
    for (const [name, value] of Object.entries(rateLimitHeaders(this.#context.config.rateLimit, rate)))
      res.setHeader(name, value);
    if (!rate.allowed)
      throw errors.rate_limited({ headers: { 'retry-after': String(rate.retryAfterSeconds) } });
  }
}

function setHeaders(res: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const name in headers) res.setHeader(name, headers[name]!);
}

function describeRequest(req: IncomingMessage) {
  return { 'http.request.method': req.method!, 'url.path': redactPath(req.url!) };
}

/** Returns the cookie of that name as a header, without the other cookies. */
function readCookie({ headers }: IncomingMessage, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  return headers.cookie
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`));
}

/** Returns the challenge for a client: RFC 9110, 11.6.1, worded as in RFC 6750, 3. */
function createChallenge(code: string): string {
  return `Bearer realm="Waybill"${code === 'missing_credential' ? '' : ', error="invalid_token"'}`;
}

function plausibleRequestId(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : null;
}

/** Matches a name or an address, optionally with a port (RFC 9110, 7.2). */
const hostPattern = /^([\w.-]+|\[[\da-f:.]+\])(:\d{0,5})?$/i;

/** Throws `invalid_body` unless the request names its host exactly once: RFC 9112, 3.2. */
function checkHost({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  const { host } = headers;
  if (host === undefined && httpVersion === '1.0') return;
  // `headers` contains only the first of several.
  let named = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === 'host') named++;
  if (named !== 1 || !hostPattern.test(host!))
    throw errors.invalid_body({ message: 'A request must name its host exactly once (RFC 9112, 3.2).' });
}

/**
 * Makes a mistyped address such as `/50%-off` readable, so that the store can answer with its own "not found" page.
 * Services refuse paths that cannot be decoded or that contain NUL, so each percent sign of such a path is escaped.
 */
function withReadablePath(url: string): string {
  const path = parsePath(url);
  if (!path.includes('%')) return url;
  const text = decodePath(path);
  if (text !== null && !text.includes('\0')) return url;
  return path.replaceAll('%', '%25') + url.slice(path.length);
}

/** Converts a request target in absolute form, which also names the host (RFC 9112, 3.2.2). */
function toOriginForm(req: IncomingMessage): void {
  const url = req.url!.startsWith('/') ? null : URL.parse(req.url!);
  if (!url) return;
  req.url = url.pathname + url.search;
  if (url.host) req.headers.host = url.host;
}

/** Whether a browser navigates to this address. */
const prefersHtml = ({ headers }: IncomingMessage) => headers.accept?.includes('text/html') === true;

function redirect(res: ServerResponse, location: string, status: 301 | 307 = 307): void {
  res.writeHead(status, { location, 'cache-control': 'no-cache' }).end();
}

/**
 * Returns the client's address as the outermost trusted proxy reports it. Without proxies, or if that one reports none,
 * returns the address of the connection.
 */
function clientAddress(req: IncomingMessage, trustedHops: number): string {
  const forwarded = trustedHops > 0 ? String(req.headers['x-forwarded-for'] ?? '').split(',') : [];
  return addressIn(forwarded.at(-trustedHops)?.trim() ?? '') ?? req.socket.remoteAddress ?? '';
}

/**
 * Reads an address such as `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1` or `[2001:db8::1]:443`. Some proxies
 * include the port, which changes with each connection.
 */
function addressIn(text: string): string | null {
  if (isIP(text)) return text;
  const [, v6 = '', v4 = ''] = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d+)?$/i.exec(text) ?? [];
  return isIPv6(v6) ? v6 : isIPv4(v4) ? v4 : null;
}
