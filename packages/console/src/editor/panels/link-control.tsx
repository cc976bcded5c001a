import type { Json, ValueType } from '@waybill/page';
import { lazy, Suspense, useState } from 'react';
import { Switch } from '../../ui/choices.tsx';
import { Select } from '../../ui/select.tsx';
import { type LinkTargetKind, LinkTargetName, LinkTargetSearch } from '../elements/link-targets.tsx';
import style from '../elements/pickers.module.css';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { type ControlProps, TypedControl } from './controls.tsx';

const LinkSearch = lazy(async () => ({ default: (await import('../elements/link-search.tsx')).LinkSearch }));

type Link = { readonly [key: string]: Json };

/**
 * A control for a link. Pages and products are found by name and stored by id, so the link stays correct when they
 * move.
 */
export function LinkControl(props: ControlProps) {
  const { words } = usePanelWorkbench();
  const { label, value, type, isDisabled, onChange } = props;
  const link = asLink(value);
  // A chosen kind is not written until it has a target.
  const [chosen, setChosen] = useState<string | null>(null);
  const kind = chosen ?? String(link?.type ?? 'none');
  const shapes = listShapes(type);
  const shape = shapes.get(kind);
  const set = (changes: Link) => {
    const currentLink = link?.type === kind ? link : { type: kind };
    const next = Object.fromEntries(
      Object.entries({ ...currentLink, ...changes }).filter(
        ([, partProps]) => partProps !== undefined && partProps !== '',
      ),
    );
    onChange(next);
    setChosen(null);
  };
  const partProps = (key: string): ControlProps => ({
    ...props,
    type: shape?.properties?.[key] ?? { type: 'string' },
    label: words.linkParts[key] ?? key,
    labelId: '',
    value: link?.type === kind ? link[key] : undefined,
    onChange: (next) => set({ [key]: next as Json }),
  });
  const reference = shape && referenceKeys.find((key) => shape.properties?.[key]);
  const own = link?.type === kind ? link : undefined;
  return (
    <div className={style.stack}>
      <Suspense>
        <LinkSearch
          isDisabled={isDisabled}
          onChoose={(href) => {
            setChosen(null);
            onChange(href);
          }}
        />
      </Suspense>
      <Select
        label={label}
        isLabelHidden
        choices={['none', ...shapes.keys()].map((id) => ({ id, text: words.links[id] ?? id }))}
        value={kind}
        isDisabled={isDisabled}
        onChange={(next) => {
          if (next === 'none') {
            setChosen(null);
            onChange(undefined);
          } else if (shapes.get(next)?.required?.length === 1) {
            // Kinds such as the homepage or the blog need no further target.
            setChosen(null);
            onChange({ type: next });
          } else setChosen(next === link?.type ? null : next);
        }}
      />
      {reference && (
        <>
          {own && <LinkTargetName kind={plurals[reference]} id={String(own[reference])} />}
          <LinkTargetSearch
            kind={reference.slice(0, -2) as LinkTargetKind}
            label={words.linkParts[reference] ?? reference}
            isDisabled={isDisabled}
            onChoose={(id) => set({ [reference]: id })}
          />
        </>
      )}
      {shape &&
        Object.entries(shape.properties ?? {})
          .filter(([key, own]) => key !== 'type' && key !== reference && own.type === 'string')
          .filter(([key]) => !reference || own !== undefined || key === 'never')
          .map(([key]) => (
            <TypedControl
              key={`${kind} ${key}`}
              {...partProps(key)}
              placeholder={words.linkParts[key] ?? key}
            />
          ))}
      {own && shape?.properties?.newTab && (
        <Switch
          label={words.newTab}
          value={own.newTab === true}
          isDisabled={isDisabled}
          onChange={(next) => set({ newTab: next })}
        />
      )}
    </div>
  );
}

const plurals = {
  pageId: 'pages',
  productId: 'products',
  categoryId: 'categories',
  articleId: 'articles',
} as const;
const referenceKeys = Object.keys(plurals) as (keyof typeof plurals)[];

/** Returns the link types of the vocabulary by name. */
function listShapes({ anyOf = [] }: ValueType): ReadonlyMap<string, ValueType> {
  return new Map(
    anyOf.flatMap((shape) => {
      const name = shape.properties?.type?.const;
      return name === undefined ? [] : [[name, shape] as const];
    }),
  );
}

/** Reads a link; a plain text is a link of the kind `url`. */
function asLink(value: Json | undefined): Link | undefined {
  if (typeof value === 'string') return value === '' ? undefined : { type: 'url', url: value };
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Link) : undefined;
}
