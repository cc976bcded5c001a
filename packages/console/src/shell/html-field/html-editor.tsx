import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { RichTextBar } from '../rich-text-bar.tsx';
import { richTextTexts } from '../rich-text-texts.ts';
import style from './html-field.module.css';
import { HtmlView } from './html-view.ts';

const FoundAddresses = lazy(async () => ({
  default: (await import('./found-addresses.tsx')).FoundAddresses,
}));

/**
 * Completes addresses as people type them: `example.com`, `me@example.com`, `+49 30 1234`. Returns undefined if the text
 * is a name instead.
 */
function asAddress(typed: string): string | undefined {
  if (/^(?:[a-z][\w+.-]*:|[/#])/i.test(typed)) return typed;
  if (/^[^\s@/]+@[^\s@/]+$/.test(typed)) return `mailto:${typed}`;
  if (/^\+?[\d ()./-]{5,30}$/.test(typed)) return `tel:${typed.replaceAll(/[^+\d]/g, '')}`;
  return /^[^\s./?#]+(?:\.[^\s./?#]+)+(?:[/?#]\S*)?$/.test(typed) ? `https://${typed}` : undefined;
}

/** A visual editor for HTML with a toolbar. `onUnknown` is called if the HTML holds anything that it cannot edit. */
export function HtmlEditor({
  value,
  onChange,
  onUnknown,
  isReadOnly,
  attributes,
}: {
  value: string;
  onChange(html: string): void;
  onUnknown(): void;
  isReadOnly: boolean;
  /** Attributes of the editable element. */
  attributes: Record<string, string>;
}) {
  const words = useTexts(richTextTexts);
  const place = useRef<HTMLDivElement>(null);
  const latestProps = useRef({ value, onChange, onUnknown });
  latestProps.current = { value, onChange, onUnknown };
  const [inert, setInert] = useState<Document | null>(null);
  const [view, setView] = useState<HtmlView | null>(null);

  // A layout effect: when the screen suspends to load texts, its elements are removed, and the editor starts again with
  // the new ones.
  useLayoutEffect(() => {
    if (!inert) return;
    const made = HtmlView.begin(place.current!, inert, latestProps.current.value, (html) =>
      latestProps.current.onChange(html),
    );
    setView(made);
    if (!made) latestProps.current.onUnknown();
    return () => made?.stop();
  }, [inert]);
  useEffect(() => {
    if (view && !view.show(value)) onUnknown();
  }, [view, value, onUnknown]);
  useEffect(() => {
    view?.setAttributes(
      { role: 'textbox', 'aria-multiline': 'true', dir: 'auto', ...attributes },
      isReadOnly,
    );
  }, [view, attributes, isReadOnly]);
  return (
    <>
      {view && !isReadOnly && (
        <RichTextBar
          tools={view}
          toHref={asAddress}
          find={(typed, onPick, picksFirst) => (
            <Suspense>
              <FoundAddresses typed={typed} onPick={onPick} picksFirst={picksFirst} />
            </Suspense>
          )}
        />
      )}
      <div ref={place} className={style.text} />
      {/* An inert document that parses HTML without loading or running any of it. */}
      <iframe
        hidden
        title={words.html}
        src="/console/frame"
        onLoad={({ currentTarget }) => setInert(currentTarget.contentDocument)}
      />
    </>
  );
}
