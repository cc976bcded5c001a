/** The part of the page package that finds a document's texts, to be imported dynamically. */
export { documentTexts, tolerateDocument, vocabulary } from '@waybill/page';
