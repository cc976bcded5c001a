/** The part of the page package that checks and draws an app's blocks, to be imported dynamically. */
export { checkBlock, renderSample, vocabulary } from '@waybill/page';
