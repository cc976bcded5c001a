import type { RenderedSpan } from '@waybill/page';
import { type Drawing, isBody } from './drawing.ts';

/**
 * The change that turns one drawing into another: new HTML replaces some children of an element, or the element itself.
 */
export type Patch =
  | {
      readonly kind: 'children';
      readonly span: RenderedSpan;
      /** The range of children to replace; `to` is exclusive. */
      readonly from: number;
      readonly to: number;
      readonly html: string;
    }
  | { readonly kind: 'element'; readonly span: RenderedSpan; readonly html: string };

/**
 * Returns the smallest patch between two drawings; undefined if nothing differs. Only the element of a node that exists
 * in both drawings is replaced, so its surroundings keep their HTML and elements.
 */
export function diffDrawings(old: Drawing, next: Drawing): Patch | undefined {
  if (old.html === next.html) return undefined;
  // The difference may start within a tag, so the whole tag is replaced: `<` only starts tags.
  const from = Math.max(0, old.html.lastIndexOf('<', commonPrefixLength(old.html, next.html)));
  const same = commonSuffixLength(old.html, next.html, from);
  const to = old.html.length - same;
  const growth = next.html.length - old.html.length;
  const candidates = spansAround(next, from, to + growth);
  // Picks the smallest place that exists both before and after; the body always does.
  for (const { span, at } of spansAround(old, from, to).toReversed()) {
    const after = candidates.find(
      ({ span: { start, end, ordinal } }) =>
        start === span.start && end === span.end + growth && ordinal === span.ordinal,
    );
    if (!after) continue;
    return childrenPatch(old, at, next, after.at, from, to) ?? elementPatch(span, after.span, next);
  }
  return undefined;
}

/**
 * Like `diffDrawings`, in pieces that leave one place alone, whatever it became. It is needed because text typed in one
 * card of a list changes in all cards. Undefined if the surroundings of that place have changed their structure.
 */
export function diffAroundSpan(
  old: Drawing,
  next: Drawing,
  keptSpan: RenderedSpan,
  nextKeptSpan: RenderedSpan,
): Patch[] | undefined {
  const patches: Patch[] = [];
  const isSame = (a: RenderedSpan, b: RenderedSpan) =>
    old.html.slice(a.start, a.end) === next.html.slice(b.start, b.end);
  const textBetween = (
    html: string,
    inside: { start: number; end: number },
    spans: readonly RenderedSpan[],
  ) =>
    [inside.start, ...spans.flatMap(({ start, end }) => [start, end]), inside.end]
      .flatMap((at, i, all) => (i % 2 === 0 ? html.slice(at, all[i + 1]) : []))
      .join('\n');
  let [at, atNext] = [0, 0];
  for (;;) {
    const [span, after] = [old.spans[at]!, next.spans[atNext]!];
    const [inside, insideNext] = [contentRange(old.html, span), contentRange(next.html, after)];
    const startTag = old.html.slice(span.start, inside.start);
    const [oldChildren, nextChildren] = [listChildren(old.spans, at), listChildren(next.spans, atNext)];
    if (
      startTag !== next.html.slice(after.start, insideNext.start) ||
      oldChildren.length !== nextChildren.length ||
      textBetween(old.html, inside, oldChildren) !== textBetween(next.html, insideNext, nextChildren)
    )
      return undefined;
    let index: number | undefined;
    for (const [i, child] of oldChildren.entries()) {
      if (containsSpan(child, keptSpan)) index = i;
      else if (!isSame(child, nextChildren[i]!)) patches.push(elementPatch(child, nextChildren[i]!, next));
    }
    if (index === undefined || !containsSpan(nextChildren[index]!, nextKeptSpan)) return undefined;
    if (oldChildren[index]!.ordinal === keptSpan.ordinal)
      return nextChildren[index]!.ordinal === nextKeptSpan.ordinal ? patches : undefined;
    at = old.spans.indexOf(oldChildren[index]!);
    atNext = next.spans.indexOf(nextChildren[index]!);
  }
}

const containsSpan = (span: RenderedSpan, inner: RenderedSpan) =>
  span.start <= inner.start && inner.end <= span.end;

function elementPatch(span: RenderedSpan, after: RenderedSpan, next: Drawing): Patch {
  const html = next.html.slice(after.start, after.end);
  if (!isBody(span)) return { kind: 'element', span, html };
  return { kind: 'children', span, from: 0, to: Number.POSITIVE_INFINITY, html };
}

/** Replaces only the children that came, went or changed; the others stay, so that pictures are not loaded again. */
function childrenPatch(
  old: Drawing,
  at: number,
  next: Drawing,
  nextAt: number,
  from: number,
  to: number,
): Patch | undefined {
  const span = old.spans[at]!;
  const after = next.spans[nextAt]!;
  const inside = contentRange(old.html, span);
  const growth = after.end - span.end;
  const oldChildren = listChildren(old.spans, at);
  const nextChildren = listChildren(next.spans, nextAt);
  let sameBefore = 0;
  while (
    sameBefore < oldChildren.length &&
    sameBefore < nextChildren.length &&
    oldChildren[sameBefore]!.end <= from &&
    oldChildren[sameBefore]!.start === nextChildren[sameBefore]!.start &&
    oldChildren[sameBefore]!.end === nextChildren[sameBefore]!.end
  )
    sameBefore++;
  let sameAfter = 0;
  while (
    sameAfter < oldChildren.length - sameBefore &&
    sameAfter < nextChildren.length - sameBefore &&
    oldChildren.at(-1 - sameAfter)!.start >= to &&
    oldChildren.at(-1 - sameAfter)!.start + growth === nextChildren.at(-1 - sameAfter)!.start &&
    oldChildren.at(-1 - sameAfter)!.end + growth === nextChildren.at(-1 - sameAfter)!.end
  )
    sameAfter++;
  const start = sameBefore === 0 ? inside.start : oldChildren[sameBefore - 1]!.end;
  const end = sameAfter === 0 ? inside.end : oldChildren.at(-sameAfter)!.start;
  if (from < start || to > end) return undefined;
  const removed = oldChildren.slice(sameBefore, oldChildren.length - sameAfter);
  const added = nextChildren.slice(sameBefore, nextChildren.length - sameAfter);
  // Text of the element's own, as a link may have, is not a child, so the whole element is replaced.
  if (!coversRange(removed, start, end) || !coversRange(added, start, end + growth)) return undefined;
  const html = next.html.slice(start, end + growth);
  return { kind: 'children', span, from: sameBefore, to: sameBefore + removed.length, html };
}

function coversRange(spans: readonly RenderedSpan[], start: number, end: number): boolean {
  if (spans.length === 0) return start === end;
  return spans[0]!.start === start && spans.at(-1)!.end === end;
}

/**
 * Returns the start and end of an element's content; for the body that is everything. Attributes contain no `>`,
 * because it is escaped.
 */
function contentRange(html: string, span: RenderedSpan): { start: number; end: number } {
  if (isBody(span)) return span;
  const start = html.indexOf('>', span.start) + 1;
  return { start, end: Math.max(start, html.lastIndexOf('</', span.end - 1)) };
}

/** Returns the visible places directly below one. */
function listChildren(spans: readonly RenderedSpan[], at: number): RenderedSpan[] {
  const { end } = spans[at]!;
  const found: RenderedSpan[] = [];
  let lastEnd = -1;
  for (let i = at + 1; i < spans.length && spans[i]!.start < end; i++) {
    const span = spans[i]!;
    if (span.ordinal === -1 || span.start < lastEnd) continue;
    found.push(span);
    lastEnd = span.end;
  }
  return found;
}

/** Returns the places that contain a range of the HTML, outermost first, each with its index. */
function spansAround({ spans }: Drawing, from: number, to: number) {
  const found: { span: RenderedSpan; at: number }[] = [];
  for (let at = 0; at < spans.length; at++) {
    const span = spans[at]!;
    if (span.start > from) break;
    if (span.end >= to && (at === 0 || span.ordinal !== -1)) found.push({ span, at });
  }
  return found;
}

/** Texts are compared in chunks, because the engine compares a chunk faster than a script compares its characters. */
const chunkLength = 1024;

function commonPrefixLength(a: string, b: string): number {
  const maxLength = Math.min(a.length, b.length);
  let at = 0;
  while (at + chunkLength <= maxLength && a.slice(at, at + chunkLength) === b.slice(at, at + chunkLength))
    at += chunkLength;
  while (at < maxLength && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

/** Returns the length of the common end beyond `from`. */
function commonSuffixLength(a: string, b: string, from: number): number {
  const maxLength = Math.min(a.length, b.length) - from;
  const sliceChunk = (text: string, same: number) =>
    text.slice(text.length - same - chunkLength, text.length - same || undefined);
  let same = 0;
  while (same + chunkLength <= maxLength && sliceChunk(a, same) === sliceChunk(b, same)) same += chunkLength;
  while (same < maxLength && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same)) same++;
  return same;
}
