import { currencyExponent } from '@waybill/contracts/currencies';
import { createRows, listColumns, listFieldColumns } from '@waybill/product-files';
import { useStore } from '../../api/me.ts';
import { useDefinitions } from '../../shell/custom-fields/custom-fields.tsx';
import { ExportDialog } from '../../shell/export.tsx';
import { useProductTexts } from './texts.ts';
import { readProducts } from './transfer.ts';

/** Exports all products of the filtered list to a file. */
export function ProductExport({
  search,
  onClose,
}: {
  /** The search that the list shows. */
  search: { q?: string; status?: string };
  onClose(): void;
}) {
  const words = useProductTexts();
  const store = useStore();
  const digits = currencyExponent(store.currency);
  const fields = listFieldColumns([...useDefinitions('product'), ...useDefinitions('variant')]);
  const filter = { ...(search.q && { q: search.q }), ...(search.status && { status: search.status }) };
  return (
    <ExportDialog
      words={words}
      isFiltered={Object.keys(filter).length > 0}
      file={`products-${store.slug}.csv`}
      read={readProducts(store.id, filter)}
      createTable={(products) => ({
        columns: listColumns(fields),
        rows: products.flatMap((product) => createRows(product, digits, fields)),
      })}
      onClose={onClose}
    />
  );
}
