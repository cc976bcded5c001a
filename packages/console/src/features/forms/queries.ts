import { queryOptions } from '@tanstack/react-query';
import { isWaybillError, type Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';
import type { ReadPage } from '../../api/reading.ts';
import { readTagged } from '../../api/tagged.ts';

export type Submission = Model<'FormSubmission'>;
export type SubmissionSearch = ListSearch & { formId?: string };

export const submissionsKey = (storeId: string) => ['stores', storeId, 'form-submissions'];

const read = (storeId: string, query: object, signal: AbortSignal) =>
  api.get('/api/stores/{storeId}/form-submissions', { params: { path: { storeId }, query }, signal });

/** Reads a page of the submissions, newest first by default. */
export const readSubmissions = (
  storeId: string,
  { formId, dir, after }: SubmissionSearch,
  signal: AbortSignal,
) =>
  read(
    storeId,
    { limit: 50, ...(formId && { formId }), ...(dir && { dir }), ...(after && { after }) },
    signal,
  );

/** Reads all submissions, or those of one form, oldest first, so that new ones are appended at the end. */
export const readToExport =
  (storeId: string, formId: string | undefined): ReadPage<Submission> =>
  async (after, signal) => {
    const query = { limit: 200, dir: 'asc', ...(formId && { formId }), ...(after && { after }) };
    const { formSubmissions, ...rest } = await read(storeId, query, signal);
    return { ...rest, items: formSubmissions };
  };

export const submissionQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...submissionsKey(storeId), id],
    queryFn: async ({ signal }) => {
      const path = `/api/stores/${storeId}/form-submissions/${id}`;
      const { formSubmission, etag } = await readTagged<{ formSubmission: Submission }>(path, signal);
      return { submission: formSubmission, etag };
    },
  });

/** Returns the id of the page, article or template that contains a form; the form's id begins with it. */
export const getOwnerId = (formId: string): string => formId.split('.', 1)[0]!;

/** Reads the name of a page or article; null if it was deleted. */
export const ownerNameQuery = (storeId: string, ownerId: string) => {
  const isPage = ownerId.startsWith('pag_');
  return queryOptions({
    queryKey: ['stores', storeId, isPage ? 'pages' : 'articles', ownerId, 'name'],
    async queryFn({ signal }): Promise<string | null> {
      const params = { path: { storeId, id: ownerId } };
      try {
        if (isPage) return (await api.get('/api/stores/{storeId}/pages/{id}', { params, signal })).page.name;
        return (await api.get('/api/stores/{storeId}/articles/{id}', { params, signal })).article.title;
      } catch (error) {
        if (isWaybillError(error, 'not_found')) return null;
        throw error;
      }
    },
  });
};

/** Returns the values of a submission as texts by field name. */
export const listTexts = ({ values }: Submission): (readonly [name: string, text: string])[] =>
  Object.entries(values).map(([name, value]) => [name, [value].flat().join(', ')]);
