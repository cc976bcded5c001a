import { queryOptions } from '@tanstack/react-query';
import type { PageDocument } from '@waybill/page';
import type { Subject } from '../workbench/subjects.ts';

/** Fetches the document that was published last; null if there is none or it is no longer kept. */
export const publishedDocumentQuery = (subject: Subject) =>
  queryOptions({
    queryKey: [...subject.queryKey, subject.id, 'published'],
    queryFn: ({ signal }) => readPublishedDocument(subject, signal),
    staleTime: 60_000,
  });

/** Returns the document that was published last; null if there is none or it is no longer kept. */
export async function readPublishedDocument(
  subject: Subject,
  signal: AbortSignal,
): Promise<PageDocument | null> {
  let after: string | undefined;
  do {
    const { revisions, nextCursor } = await subject.revisions(after, signal);
    const published = revisions.find(({ kind }) => kind === 'published');
    if (published) return subject.revision(published.id, signal);
    after = nextCursor ?? undefined;
  } while (after !== undefined);
  return null;
}
