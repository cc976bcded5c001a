import { Answer } from '@waybill/kernel';
import { create as contentDisposition } from 'content-disposition';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { isSecret, readToken } from '../tokens/tokens.ts';
import {
  type AddressedDocument,
  claimUnrendered,
  findContent,
  findDocumentFiles,
  insertFiles,
  toProof,
} from './queries.ts';
import { fileNames } from './rendering/texts.ts';

/**
 * Makes the files of a document and stores them. If two copies of the service make them at the same time, the files
 * that are stored first stay.
 */
async function renderFiles({ db, state }: Context, storeId: string, id: string): Promise<void> {
  const found = await findContent(db, storeId, id);
  if (!found) return;
  const { pdf, xml } = await state.renderer.render(found);
  await insertFiles(db, storeId, id, { pdf: Buffer.from(pdf), xml });
}

/** Finds a document by its address, and makes its files if necessary. @throws not_found, resource_unavailable */
async function findAddressed(context: Context, storeId: string, token: string): Promise<AddressedDocument> {
  const address = readToken('document', token);
  const found = address && (await findDocumentFiles(context.db, storeId, address.id));
  if (!found || !isSecret(toProof(found), address.secret))
    throw errors.not_found({ message: 'This document does not exist.' });
  if (found.pdf) return found;
  if (context.state.renderer.isFull) throw errors.resource_unavailable({ headers: { 'retry-after': '2' } });
  await renderFiles(context, storeId, found.id);
  return (await findDocumentFiles(context.db, storeId, found.id))!;
}

/** Returns the headers of a file, which never changes and is visible only to clients that know its address. */
const createHeaders = (name: string) => ({
  'cache-control': 'private, max-age=31536000, immutable',
  'content-disposition': contentDisposition(name, { type: 'inline' }),
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
});

const getFileName = ({ kind, number, order_id }: AddressedDocument): string =>
  (number ?? `${fileNames[kind as keyof typeof fileNames]}-${order_id}`).replaceAll(
    /[^\p{L}\p{N}._-]+/gu,
    '-',
  );

/** Answers with the PDF at an address. @throws not_found, resource_unavailable */
export async function pdfAnswer(context: Context, storeId: string, token: string): Promise<Answer> {
  const document = await findAddressed(context, storeId, token);
  return new Answer(document.pdf!, 'application/pdf', createHeaders(`${getFileName(document)}.pdf`));
}

/** Answers with the XML at an address. @throws not_found, resource_unavailable */
export async function xmlAnswer(context: Context, storeId: string, token: string): Promise<Answer> {
  const document = await findAddressed(context, storeId, token);
  if (document.xml === null) throw errors.not_found({ message: 'This document has no XML.' });
  return new Answer(
    document.xml,
    'application/xml; charset=utf-8',
    createHeaders(`${getFileName(document)}.xml`),
  );
}

/** The task that makes the files of a document before they are requested. It returns true if there may be more. */
export async function renderNextFile(context: Context): Promise<boolean> {
  const { db, log } = context;
  const [due] = await claimUnrendered(db, new Date(), 1);
  if (!due) return false;
  const { storeId, id } = due;
  await renderFiles(context, storeId, id).catch((err: unknown) =>
    log.error({ err, storeId, document: id }, 'the files of a document could not be rendered'),
  );
  return true;
}
