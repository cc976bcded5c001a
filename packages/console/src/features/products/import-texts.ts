import type { FileForm, RowProblem } from '@waybill/product-files';
import type { ProductWords } from '../../texts/en/products.ts';
import { formatMessage } from '../../texts/messages.ts';

/** Explains a problem of a row of an imported file. */
export function explainFault({ fault, value }: RowProblem, { faults }: ProductWords): string {
  if (fault === 'openQuote' && value) return faults.openQuoteBeforeLines({ value });
  return formatMessage(faults[fault], { value });
}

/** Describes how an imported file is written. */
export function describeForm(encoding: string, form: FileForm, { fileForm }: ProductWords): string {
  const { separator, quote, lineEnd, hasSepLine } = form;
  return [
    encoding.toUpperCase(),
    separator === '\t' ? fileForm.tabs : fileForm.separator({ separator }),
    fileForm.quote({ quote }),
    fileForm.lineEnd({ lineEnd }),
    ...(hasSepLine ? [fileForm.sepLine] : []),
  ].join(', ');
}
