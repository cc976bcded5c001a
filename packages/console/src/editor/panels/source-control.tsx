import { useQuery } from '@tanstack/react-query';
import { pages as allPages } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Select } from '../../ui/select.tsx';
import { LinkTargetName, LinkTargetSearch } from '../elements/link-targets.tsx';
import style from '../elements/pickers.module.css';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { type ControlProps, TypedControl } from './controls.tsx';

interface Source {
  readonly kind: 'all' | 'tag' | 'ids' | 'search' | 'category';
  readonly tag?: string;
  /** The id of a category; without it, the page's own category. */
  readonly id?: string;
  readonly ids?: readonly string[];
}

const maxProducts = 48;

/**
 * A control for the products of a list: all, those with a tag or in a category, chosen ones, or the visitor's search
 * results.
 */
export function SourceControl(props: ControlProps) {
  const { words } = usePanelWorkbench();
  const { label, value, isDisabled, onChange } = props;
  const source = (value ?? { kind: 'all' }) as unknown as Source;
  // A chosen kind without a value is not written yet.
  const [chosen, setChosen] = useState<Source['kind'] | null>(null);
  const kind = chosen ?? source.kind;
  const ids = source.kind === 'ids' ? (source.ids ?? []) : [];
  const setSource = (next: Source) => {
    setChosen(null);
    onChange(next as never);
  };
  return (
    <div className={style.stack}>
      <Select
        label={label}
        isLabelHidden
        choices={(['all', 'category', 'tag', 'ids', 'search'] as const).map((id) => ({
          id,
          text: words.sources[id],
        }))}
        value={kind}
        isDisabled={isDisabled}
        onChange={(next) => (next === 'tag' || next === 'ids' ? setChosen(next) : setSource({ kind: next }))}
      />
      {kind === 'category' && (
        <>
          <strong className={style.name}>
            {source.id === undefined ? (
              words.pageCategory
            ) : (
              <LinkTargetName kind="categories" id={source.id} />
            )}
          </strong>
          <LinkTargetSearch
            kind="category"
            label={words.linkParts.categoryId!}
            isDisabled={isDisabled}
            onChoose={(id) => setSource({ kind: 'category', id })}
          />
          {source.id !== undefined && (
            <Button
              size="small"
              look="quiet"
              isDisabled={isDisabled}
              onPress={() => setSource({ kind: 'category' })}
            >
              {words.pageCategory}
            </Button>
          )}
        </>
      )}
      {kind === 'tag' && (
        <TypedControl
          {...props}
          type={{ type: 'string', maxLength: 60 }}
          label={words.sourceTag}
          labelId=""
          placeholder={words.sourceTag}
          value={source.kind === 'tag' ? source.tag : ''}
          onChange={(tag) => typeof tag === 'string' && tag !== '' && setSource({ kind: 'tag', tag })}
        />
      )}
      {kind === 'ids' && (
        <>
          <ol className={style.items}>
            {ids.map((id) => (
              <li key={id} className={style.item}>
                <LinkTargetName kind="products" id={id} />
                <IconButton
                  label={words.takeAway}
                  isDisabled={isDisabled}
                  onPress={() => setSource({ kind: 'ids', ids: ids.filter((one) => one !== id) })}
                >
                  <CrossIcon />
                </IconButton>
              </li>
            ))}
          </ol>
          <LinkTargetSearch
            kind="product"
            label={words.linkParts.productId!}
            isDisabled={isDisabled || ids.length >= maxProducts}
            onChoose={(id) => setSource({ kind: 'ids', ids: [...new Set([...ids, id])] })}
          />
        </>
      )}
    </div>
  );
}

/** A control for a category of the blog. Without one the list shows all articles, or on a category's page its own. */
export function CategoryControl({ label, value, isDisabled, onChange }: ControlProps) {
  const { words, storeId } = usePanelWorkbench();
  const { data = [] } = useQuery({
    queryKey: ['stores', storeId, 'blog-categories', 'names'],
    staleTime: 30_000,
    async queryFn({ signal }) {
      const found: { id: string; name: string }[] = [];
      const read = (after: string | undefined) =>
        api.get('/api/stores/{storeId}/blog-categories', {
          params: { path: { storeId }, query: { limit: 200, ...(after && { after }) } },
          signal,
        });
      for await (const { blogCategories } of allPages(read)) found.push(...blogCategories);
      return found;
    },
  });
  return (
    <Select
      label={label}
      isLabelHidden
      choices={[{ id: 'any', text: words.anyCategory }, ...data.map(({ id, name }) => ({ id, text: name }))]}
      value={typeof value === 'string' ? value : 'any'}
      isDisabled={isDisabled}
      onChange={(id) => onChange(id === 'any' ? undefined : id)}
    />
  );
}
