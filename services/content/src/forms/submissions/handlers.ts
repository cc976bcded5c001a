import {
  Answer,
  enforceRateLimit,
  escapePointer,
  getNetwork,
  type Handlers,
  hostHeader,
  itemsAnswer,
  rawJson,
} from '@waybill/kernel';
import { formSentId, honeypotName } from '@waybill/page';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { isAtOwnOrigin } from '../../publication/rendering/policy.ts';
import { answerInvalid } from '../../publication/served-documents/answers.ts';
import type { Tables } from '../../tables.ts';
import { readForm } from './body.ts';
import { checkForm } from './fields.ts';
import {
  createSubmissionWriter,
  deleteSubmission,
  eraseSubmissions,
  toSubmission,
} from './form-submissions.ts';
import { findLiveForm, type LiveForm, ownerPath, renderFormAgain } from './live-forms.ts';
import {
  findSubmissionEnvelope,
  listCustomerSubmissions,
  listMailedSubmissions,
  listSubmissions,
} from './queries.ts';
import type { routes } from './routes.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export const handlers = (context: Context): Handlers<typeof routes, Tables> => {
  const storeSubmission = createSubmissionWriter(context);
  const { db } = context;
  return {
    submitForm: {
      // Submitting a form needs no sign-in, so the address is limited, whatever it sends.
      guard: ({ address }) =>
        enforceRateLimit(context.cache, `form:${getNetwork(address)}`, context.config.visitLimit),
      async handle({ params: { storeId, formId }, query, headers, url, stream }) {
        const { submitted: sent, isJson } = await readForm(
          stream,
          headers['content-type'] as string | undefined,
        );
        const site = ({ slug }: { slug: string }) => (isAtOwnOrigin(headers) ? '/' : `/s/${slug}/`);
        const form = await findLiveForm(context, storeId, formId, query.locale, site);
        if (!form) throw errors.not_found({ message: 'This form does not exist.' });
        const { values, emails, problems } = checkForm(form.fields, sent, form.words);
        const filled = { formId, pageId: form.pageId, values, emails };
        // A bot's submission gets the same answer, so that its author does not learn to leave the field empty.
        const isFromBot = sent.get(honeypotName)?.some((value) => value !== '') === true;
        if (problems.size > 0 && isJson) throw invalidForm(problems);
        if (problems.size > 0) {
          const document = await renderFormAgain(context, form, { values: sent, problems }, site(form.store));
          return answerInvalid({ url, headers }, document);
        }
        const submission = isFromBot ? toSubmission(filled) : await storeSubmission(storeId, filled);
        if (isJson) return { formSubmission: submission };
        const location = resolveTarget(form, headers, site(form.store));
        return new Answer('', 'text/plain; charset=utf-8', { location, 'cache-control': 'no-store' }, 303);
      },
    },
    listFormSubmissions: async ({ storeId, query }) =>
      itemsAnswer('formSubmissions', await listSubmissions(db, storeId, query)),
    async getFormSubmission({ storeId, params }) {
      const json = await findSubmissionEnvelope(db, storeId, params.id);
      if (!json) throw errors.not_found();
      return rawJson(json);
    },
    listMailedSubmissions: async ({ body }) => ({
      values: await listMailedSubmissions(db, body.submissions),
    }),
    async listCustomerSubmissions({ body: { storeId, emails, after } }) {
      const items = await listCustomerSubmissions(db, storeId, emails, after, pageSubmissions);
      return { items, next: items.length < pageSubmissions ? null : items.at(-1)!.id };
    },
    eraseCustomerSubmissions: {
      write: async ({ body: { storeId, emails } }, write) => ({
        isMore: await eraseSubmissions(write, storeId, emails),
      }),
    },
    deleteFormSubmission: {
      write: ({ storeId, params }, write) => deleteSubmission(write, storeId, params.id),
    },
  };
};

/** Page size of a customer's export. */
const pageSubmissions = 200;

function invalidForm(problems: ReadonlyMap<string, string>): Error {
  const details = [...problems].map(([name, message]) => ({ pointer: `/${escapePointer(name)}`, message }));
  return errors.invalid_form({ details });
}

/** Returns where a visitor goes after submitting a form: to the page its author chose, or back to the form's thanks. */
function resolveTarget(form: LiveForm, headers: Headers, site: string): string {
  const { href } = form;
  if (href !== null && /^(?:https?:|[^:#]*(?:[/?#]|$))/i.test(href)) return ascii(href, site);
  const page = findPreviousPage(headers, site) ?? site + ownerPath(form);
  return ascii(href?.startsWith('#') ? page + href : `${page}#${formSentId(form.name)}`, site);
}

/** Returns the store's page that the visitor comes from, according to the browser; null when it is unknown. */
function findPreviousPage({ referer, host, ...headers }: Headers, site: string): string | null {
  const from = URL.parse(String(referer ?? ''));
  const isSameHost = from !== null && from.host === (headers[hostHeader] ?? host);
  if (!isSameHost || !from.pathname.startsWith(site) || from.pathname.startsWith('/storefront/')) return null;
  // A path that begins so would name another host.
  if (from.pathname.startsWith('//')) return null;
  return from.pathname + from.search;
}

/** Encodes a reference for a header. */
function ascii(reference: string, site: string): string {
  const base = 'http://store.invalid';
  const url = new URL(reference, base + site);
  return url.origin === base ? url.href.slice(base.length) : url.href;
}
