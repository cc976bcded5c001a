import { useCallback, useSyncExternalStore } from 'react';
import { placeOf } from '../canvas/frame.ts';
import { pathPartOf } from '../canvas/nodes.ts';
import { useWorkbench, type Workbench } from '../screen/workbench.ts';
import { authorOf, type Edited, type Field } from './fields.ts';

/**
 * Returns a style's current value on the page, whatever set it, in a form that can be typed; empty for fields that are
 * not styles.
 */
export function useComputed(edited: Edited, field: Field): string {
  const workbench = useWorkbench();
  const { canvas } = workbench;
  const subscribe = useCallback(
    (watcher: () => void) => {
      const { drawn } = canvas.surface ?? {};
      drawn?.add(watcher);
      return () => drawn?.delete(watcher);
    },
    [canvas],
  );
  return useSyncExternalStore(subscribe, () =>
    field.target === 'style' ? computedOf(workbench, edited, field.key) : '',
  );
}

function computedOf({ canvas: { surface } }: Workbench, edited: Edited, key: string): string {
  const element = surface && elementOf(surface, edited);
  if (!element) return '';
  const style = surface.frame.document.defaultView!.getComputedStyle(element);
  return typable(String(style[key as 'color'] ?? ''));
}

function elementOf(
  surface: NonNullable<Workbench['canvas']['surface']>,
  edited: Edited,
): Element | undefined {
  if (edited.is === 'nodes')
    return edited.ids[0] === undefined ? undefined : surface.elementOf(edited.ids[0]);
  const { referenceId, block, slot } = edited;
  const path = `${pathPartOf(referenceId)}/${pathPartOf(authorOf(block, slot)?.id ?? '')}`;
  const place = placeOf(surface.frame.drawing, path);
  return place && place.ordinal >= 0 ? surface.frame.elementAt(place) : undefined;
}

/** Converts a computed value: colours to hex digits, lengths to hundredths of a pixel. */
function typable(value: string): string {
  const [, ...channels] = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(value) ?? [];
  if (channels.length === 0) return value.length > 60 ? '' : value.replace(/^(-?\d+\.\d\d)\d+px$/, '$1px');
  const [red, green, blue, alpha = '1'] = channels as (string | undefined)[];
  if (alpha === '0') return 'transparent';
  const hex = [red, green, blue].map((each) => Number(each).toString(16).padStart(2, '0')).join('');
  const opacity =
    alpha === '1'
      ? ''
      : Math.round(Number(alpha) * 255)
          .toString(16)
          .padStart(2, '0');
  return `#${hex}${opacity}`;
}
