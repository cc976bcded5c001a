import type { RenderedPlace } from '@waybill/page';
import { type Drawing, isBody } from './drawing.ts';

/**
 * The change that turns one drawing into another: new HTML replaces some children of an element, or the element itself.
 */
export type Patch =
  | {
      readonly is: 'children';
      readonly place: RenderedPlace;
      /** The range of children to replace; `to` is exclusive. */
      readonly from: number;
      readonly to: number;
      readonly html: string;
    }
  | { readonly is: 'element'; readonly place: RenderedPlace; readonly html: string };

/**
 * Returns the smallest patch between two drawings; undefined if nothing differs. Only the element of a node that exists
 * in both drawings is replaced, so its surroundings keep their HTML and elements.
 */
export function patchBetween(old: Drawing, next: Drawing): Patch | undefined {
  if (old.html === next.html) return undefined;
  // The difference may start within a tag, so the whole tag is replaced: `<` only starts tags.
  const from = Math.max(0, old.html.lastIndexOf('<', commonStart(old.html, next.html)));
  const same = commonEnd(old.html, next.html, from);
  const to = old.html.length - same;
  const grown = next.html.length - old.html.length;
  const around = placesAround(next, from, to + grown);
  // Picks the smallest place that exists both before and after; the body always does.
  for (const { place, at } of placesAround(old, from, to).toReversed()) {
    const after = around.find(
      ({ place: { start, end, ordinal } }) =>
        start === place.start && end === place.end + grown && ordinal === place.ordinal,
    );
    if (!after) continue;
    return childrenPatch(old, at, next, after.at, from, to) ?? elementPatch(place, after.place, next);
  }
  return undefined;
}

/**
 * Like `patchBetween`, in pieces that leave one place alone, whatever it became. It is needed because text typed in one
 * card of a list changes in all cards. Undefined if the surroundings of that place have changed their structure.
 */
export function patchesAround(
  old: Drawing,
  next: Drawing,
  left: RenderedPlace,
  leftNext: RenderedPlace,
): Patch[] | undefined {
  const patches: Patch[] = [];
  const isSame = (a: RenderedPlace, b: RenderedPlace) =>
    old.html.slice(a.start, a.end) === next.html.slice(b.start, b.end);
  const between = (html: string, inside: { start: number; end: number }, places: readonly RenderedPlace[]) =>
    [inside.start, ...places.flatMap(({ start, end }) => [start, end]), inside.end]
      .flatMap((at, i, all) => (i % 2 === 0 ? html.slice(at, all[i + 1]) : []))
      .join('\n');
  let [at, atNext] = [0, 0];
  for (;;) {
    const [place, after] = [old.places[at]!, next.places[atNext]!];
    const [inside, insideNext] = [contentOf(old.html, place), contentOf(next.html, after)];
    const startTag = old.html.slice(place.start, inside.start);
    const [before, now] = [childrenOf(old.places, at), childrenOf(next.places, atNext)];
    if (
      startTag !== next.html.slice(after.start, insideNext.start) ||
      before.length !== now.length ||
      between(old.html, inside, before) !== between(next.html, insideNext, now)
    )
      return undefined;
    let way: number | undefined;
    for (const [i, child] of before.entries()) {
      if (holds(child, left)) way = i;
      else if (!isSame(child, now[i]!)) patches.push(elementPatch(child, now[i]!, next));
    }
    if (way === undefined || !holds(now[way]!, leftNext)) return undefined;
    if (before[way]!.ordinal === left.ordinal)
      return now[way]!.ordinal === leftNext.ordinal ? patches : undefined;
    at = old.places.indexOf(before[way]!);
    atNext = next.places.indexOf(now[way]!);
  }
}

const holds = (place: RenderedPlace, inner: RenderedPlace) =>
  place.start <= inner.start && inner.end <= place.end;

function elementPatch(place: RenderedPlace, after: RenderedPlace, next: Drawing): Patch {
  const html = next.html.slice(after.start, after.end);
  if (!isBody(place)) return { is: 'element', place, html };
  return { is: 'children', place, from: 0, to: Number.POSITIVE_INFINITY, html };
}

/** Replaces only the children that came, went or changed; the others stay, so that pictures are not loaded again. */
function childrenPatch(
  old: Drawing,
  at: number,
  next: Drawing,
  counterpart: number,
  from: number,
  to: number,
): Patch | undefined {
  const place = old.places[at]!;
  const after = next.places[counterpart]!;
  const inside = contentOf(old.html, place);
  const grown = after.end - place.end;
  const before = childrenOf(old.places, at);
  const now = childrenOf(next.places, counterpart);
  let kept = 0;
  while (
    kept < before.length &&
    kept < now.length &&
    before[kept]!.end <= from &&
    before[kept]!.start === now[kept]!.start &&
    before[kept]!.end === now[kept]!.end
  )
    kept++;
  let keptLast = 0;
  while (
    keptLast < before.length - kept &&
    keptLast < now.length - kept &&
    before.at(-1 - keptLast)!.start >= to &&
    before.at(-1 - keptLast)!.start + grown === now.at(-1 - keptLast)!.start &&
    before.at(-1 - keptLast)!.end + grown === now.at(-1 - keptLast)!.end
  )
    keptLast++;
  const start = kept === 0 ? inside.start : before[kept - 1]!.end;
  const end = keptLast === 0 ? inside.end : before.at(-keptLast)!.start;
  if (from < start || to > end) return undefined;
  const gone = before.slice(kept, before.length - keptLast);
  const come = now.slice(kept, now.length - keptLast);
  // Text of the element's own, as a link may have, is not a child, so the whole element is replaced.
  if (!fills(gone, start, end) || !fills(come, start, end + grown)) return undefined;
  const html = next.html.slice(start, end + grown);
  return { is: 'children', place, from: kept, to: kept + gone.length, html };
}

function fills(places: readonly RenderedPlace[], start: number, end: number): boolean {
  if (places.length === 0) return start === end;
  return places[0]!.start === start && places.at(-1)!.end === end;
}

/**
 * Returns the start and end of an element's content; for the body that is everything. Attributes contain no `>`,
 * because it is escaped.
 */
function contentOf(html: string, place: RenderedPlace): { start: number; end: number } {
  if (isBody(place)) return place;
  const start = html.indexOf('>', place.start) + 1;
  return { start, end: Math.max(start, html.lastIndexOf('</', place.end - 1)) };
}

/** Returns the visible places directly below one. */
function childrenOf(places: readonly RenderedPlace[], at: number): RenderedPlace[] {
  const { end } = places[at]!;
  const found: RenderedPlace[] = [];
  let reached = -1;
  for (let i = at + 1; i < places.length && places[i]!.start < end; i++) {
    const place = places[i]!;
    if (place.ordinal === -1 || place.start < reached) continue;
    found.push(place);
    reached = place.end;
  }
  return found;
}

/** Returns the places that contain a range of the HTML, outermost first, each with its index. */
function placesAround({ places }: Drawing, from: number, to: number) {
  const found: { place: RenderedPlace; at: number }[] = [];
  for (let at = 0; at < places.length; at++) {
    const place = places[at]!;
    if (place.start > from) break;
    if (place.end >= to && (at === 0 || place.ordinal !== -1)) found.push({ place, at });
  }
  return found;
}

/** Texts are compared in chunks, because the engine compares a chunk faster than a script compares its characters. */
const piece = 1024;

function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at + piece <= most && a.slice(at, at + piece) === b.slice(at, at + piece)) at += piece;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

/** Returns the length of the common end beyond `from`. */
function commonEnd(a: string, b: string, from: number): number {
  const most = Math.min(a.length, b.length) - from;
  const sliceOf = (text: string, same: number) =>
    text.slice(text.length - same - piece, text.length - same || undefined);
  let same = 0;
  while (same + piece <= most && sliceOf(a, same) === sliceOf(b, same)) same += piece;
  while (same < most && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same)) same++;
  return same;
}
