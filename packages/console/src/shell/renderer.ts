/**
 * The part of the page package that draws documents, to be imported dynamically. A dynamic import of the package itself
 * would keep all of its exports, and the editor would load them too.
 */
export { pageStyle, renderDocument, themeCss } from '@waybill/page';
