import { queryOptions } from '@tanstack/react-query';
import { isWaybillError, type Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { readTagged } from '../../api/tagged.ts';

export type Template = Model<'MailTemplate'>;
export type Kind = Template['kind'];
export type Locale = Template['locale'];

export const mailsKey = (storeId: string) => ['stores', storeId, 'mail-templates'];

/** Reads the kinds and languages of all mails, without their texts. */
export const mailTemplatesQuery = (storeId: string) =>
  queryOptions({
    queryKey: [...mailsKey(storeId), 'all'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/mail-templates', {
          params: { path: { storeId }, query: { fields: 'kind,locale,isEnabled,isDefault' } },
          signal,
        })
      ).mailTemplates as Omit<Template, 'subject' | 'body'>[],
  });

/** Reads a mail in a language, by default the store's first, with its ETag. */
export const mailTemplateQuery = (storeId: string, kind: string, locale: string | undefined) =>
  queryOptions({
    queryKey: [...mailsKey(storeId), kind, locale ?? null],
    queryFn: ({ signal }) =>
      readTagged<{ mailTemplate: Template }>(
        `/api/stores/${storeId}/mail-templates/${kind}${locale ? `?locale=${encodeURIComponent(locale)}` : ''}`,
        signal,
      ),
  });

export const mailSettingsQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'mail-settings'],
    queryFn: ({ signal }) =>
      readTagged<{ mailSettings: Model<'MailSettings'> }>(`/api/stores/${storeId}/mail-settings`, signal),
  });

/** The input of a preview or test mail. */
export interface Trial {
  locale: Locale;
  orderId: string | null;
  subject: string;
  body: string;
}

/** Reads the preview of a mail. */
export const previewQuery = (storeId: string, kind: Kind, trial: Trial) =>
  queryOptions({
    queryKey: [...mailsKey(storeId), kind, 'preview', trial],
    queryFn: ({ signal }) =>
      api.post('/api/stores/{storeId}/mail-templates/{kind}/preview', {
        params: { path: { storeId, kind } },
        body: trial,
        signal,
      }),
    gcTime: 10_000,
  });

/** Reads the first orders that match. */
export const orderChoicesQuery = (storeId: string, q: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'orders', 'choices', q],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders', {
        params: { path: { storeId }, query: { limit: 10, ...(q && { q }) } },
        signal,
      }),
  });

/** A mistake in a template and its position (`decisions.md 23.7`). */
export interface Mistake {
  pointer: '/subject' | '/body';
  message: string;
  line: number;
  column: number;
}

/** Returns the mistake that an error reports, or null. */
export function findMistake(error: unknown): Mistake | null {
  if (!isWaybillError(error, 'invalid_template')) return null;
  const [problem] = error.problems as readonly Partial<Mistake>[];
  if (!problem) return null;
  const { pointer = '/body', message = error.message, line = 1, column = 1 } = problem;
  return { pointer, message, line, column };
}
