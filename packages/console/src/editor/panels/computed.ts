import { useCallback, useSyncExternalStore } from 'react';
import type { CanvasPort } from '../workbench/canvas-port.ts';
import { useWorkbench, type Workbench } from '../workbench/workbench.ts';
import { type EditTarget, type Field, findSlotNode } from './fields.ts';

/**
 * Returns a style's current value on the page, whatever set it, in a form that can be typed; empty for fields that are
 * not styles.
 */
export function useComputed(target: EditTarget, field: Field): string {
  const workbench = useWorkbench();
  const { canvas } = workbench;
  const subscribe = useCallback(
    (listener: () => void) => canvas.surface?.onDraw(listener) ?? (() => {}),
    [canvas],
  );
  return useSyncExternalStore(subscribe, () =>
    field.target === 'style' ? readComputed(workbench, target, field.key) : '',
  );
}

function readComputed({ canvas: { surface } }: Workbench, target: EditTarget, key: string): string {
  const element = surface && findElement(surface, target);
  if (!element) return '';
  const style = surface.document.defaultView!.getComputedStyle(element);
  return toTypedValue(String(style[key as 'color'] ?? ''));
}

function findElement(surface: CanvasPort, target: EditTarget): Element | undefined {
  if (target.kind === 'nodes')
    return target.ids[0] === undefined ? undefined : surface.findElement(target.ids[0]);
  const { referenceId, block, slot } = target;
  return surface.findElement(referenceId, findSlotNode(block, slot)?.id ?? '');
}

/** Converts a computed value: colours to hex digits, lengths to hundredths of a pixel. */
function toTypedValue(value: string): string {
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
