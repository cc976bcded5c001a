import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { CheckIcon, CopyIcon } from './icons.tsx';
import style from './layout.module.css';
import { useUiTexts } from './texts.ts';

/** The first screen after a page load leaves the focus where the browser puts it. */
let isFirstScreen = true;

/**
 * Names the browser's tab after the screen and returns the ref of its heading, which takes the focus when the user
 * navigates to the screen.
 */
export function useScreenTitle(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Waybill`;
  }, [title]);
  useEffect(() => {
    const isFirst = isFirstScreen;
    isFirstScreen = false;
    if (isFirst) return;
    // Runs after closing dialogs and menus, which return the focus to the element that opened them.
    const timer = setTimeout(() => {
      const screen = heading.current?.closest('[data-screen]');
      // The window may have been scrolled to where the user left the screen.
      if (!screen?.contains(document.activeElement)) heading.current?.focus({ preventScroll: true });
    });
    return () => clearTimeout(timer);
  }, []);
  return heading;
}

/** A screen with title, actions and content. The title takes the focus when the user navigates to the screen. */
export function Screen({
  title,
  subtitle,
  back,
  actions,
  width = 'wide',
  children,
}: {
  title: string;
  subtitle?: ReactNode;
  /** A link to the parent screen. */
  back?: ReactNode;
  actions?: ReactNode;
  width?: 'wide' | 'text';
  children: ReactNode;
}) {
  const heading = useScreenTitle(title);
  return (
    <div className={`${style.screen} ${style[width]}`} data-screen>
      <header className={style.header}>
        <div className={style.titles}>
          {back && <div className={style.back}>{back}</div>}
          <h1 ref={heading} tabIndex={-1} data-screen-title>
            {title}
          </h1>
          {subtitle && <div className={style.subtitle}>{subtitle}</div>}
        </div>
        {actions && <div className={style.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A section of a screen on its own surface. */
export function Card({
  title,
  actions,
  isFlush = false,
  children,
}: {
  title?: string | undefined;
  actions?: ReactNode;
  /** The content reaches the edges, as a table does. */
  isFlush?: boolean;
  children: ReactNode;
}) {
  return (
    <section
      className={`${style.card} ${isFlush ? style.flush : ''}`}
      {...(title && { 'aria-label': title })}
    >
      {(title || actions) && (
        <header className={style.cardHead}>
          {title && <h2>{title}</h2>}
          {actions && <div className={style.actions}>{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/** Fields in a column. */
export const Stack = ({ children }: { children: ReactNode }) => <div className={style.stack}>{children}</div>;

/** Elements in a row that wraps when space runs out. */
export const Row = ({ children, isSpread = false }: { children: ReactNode; isSpread?: boolean }) => (
  <div className={`${style.row} ${isSpread ? style.spread : ''}`}>{children}</div>
);

/** A grid with as many columns as fit. */
export const Grid = ({
  children,
  min = '16rem',
}: {
  children: ReactNode;
  min?: '10rem' | '16rem' | '22rem';
}) => <div className={`${style.grid} ${style[`min${min.slice(0, 2)}`]}`}>{children}</div>;

/** A wide and a narrow column; on phones one below the other. */
export const TwoColumns = ({ main, side }: { main: ReactNode; side: ReactNode }) => (
  <div className={style.columns}>
    <div className={style.stack}>{main}</div>
    <div className={style.stack}>{side}</div>
  </div>
);

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent';

/** A state as one word in a pill. */
export const Badge = ({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) => (
  <span className={`${style.badge} ${style[tone]}`}>{children}</span>
);

/** A message, with the actions that answer it. */
export function Notice({
  tone = 'neutral',
  title,
  actions,
  children,
}: {
  tone?: Tone;
  title?: string;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className={`${style.notice} ${style[tone]}`} role={tone === 'bad' ? 'alert' : 'note'}>
      <div>
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
      {actions && <div className={style.actions}>{actions}</div>}
    </div>
  );
}

/** An empty state: it says what will appear here and offers one action. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={style.empty}>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** A placeholder of about the size of the content that is loading. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  const texts = useUiTexts();
  return (
    <div className={style.skeleton} role="status" aria-label={texts.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

/** A list of terms with their values. Facts without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [term: string, value: ReactNode])[] }) {
  return (
    <dl className={style.facts}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Copies a text and reports success or failure. Browsers refuse over plain http, and users can refuse too. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const texts = useUiTexts();
  const [said, setSaid] = useState<'copied' | 'notCopied' | null>(null);
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(null), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('copied');
    } catch {
      setSaid('notCopied');
    }
  }
  return (
    <Button size="small" onPress={copy}>
      {said === 'copied' ? <CheckIcon /> : <CopyIcon />}
      <span aria-live="polite">{said ? texts[said] : (label ?? texts.copy)}</span>
    </Button>
  );
}

/** A value to copy: an id, an address or a secret. */
export function CopyText({ text }: { text: string }) {
  return (
    <div className={style.copyText}>
      <code>{text}</code>
      <CopyButton text={text} />
    </div>
  );
}

/** Progress from 0 to 1, or null when it is unknown. */
export function Progress({ label, value }: { label: string; value: number | null }) {
  return (
    <label className={style.progress}>
      <span>{label}</span>
      <progress {...(value !== null && { value })} max={1} />
    </label>
  );
}
