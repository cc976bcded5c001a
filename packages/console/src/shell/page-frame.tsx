import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Segments } from '../ui/segments.tsx';
import type { Drawn } from './draw.ts';
import style from './page-frame.module.css';
import { frameTexts } from './page-frame-texts.ts';

/** What a page is looked at on, in CSS pixels; `fit` is as wide as there is room, for what is a part of a page. */
const devices = {
  desktop: { width: 1280, height: 800 },
  tablet: { width: 834, height: 1112 },
  phone: { width: 390, height: 844 },
  fit: null,
} as const;
export type Device = keyof typeof devices;

/** What a page is looked at on first: where a desktop would be too small to read, a phone. */
export const firstDevice = (): Device => (innerWidth < devices.tablet.width ? 'phone' : 'desktop');

/**
 * What a document becomes, in a frame that runs nothing. It is as wide as the device really is, so that its widths are
 * the page's own, and made smaller where there is less room.
 */
export function PageFrame({
  label,
  drawn: { html, css },
  lang,
  device,
  isPicture = false,
}: {
  label: string;
  drawn: Drawn;
  /** BCP 47. */
  lang?: string;
  device: Device;
  /** It only shows how something looks: nobody goes into it. */
  isPicture?: boolean;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const room = useRef<HTMLDivElement>(null);
  const [loads, setLoads] = useState(0);
  const [width, setWidth] = useState(0);
  const size = devices[device];

  useEffect(() => {
    const watcher = new ResizeObserver(() => setWidth(room.current?.clientWidth ?? 0));
    watcher.observe(room.current!);
    return () => watcher.disconnect();
  }, []);

  useEffect(() => {
    const page = frame.current?.contentDocument;
    if (loads === 0 || !page?.defaultView) return;
    // The frame's policy lets no style element in.
    const sheet = new page.defaultView.CSSStyleSheet();
    sheet.replaceSync(css);
    page.adoptedStyleSheets = [sheet];
    page.body.innerHTML = html;
    page.documentElement.lang = lang ?? '';
  }, [loads, html, css, lang]);

  function prepare() {
    // A link would lead out of what is looked at.
    frame.current?.contentDocument?.addEventListener('click', (event) => event.preventDefault());
    setLoads((count) => count + 1);
  }
  const scale = size && width > 0 ? Math.min(1, width / size.width) : 1;
  return (
    <div ref={room} className={style.room} {...(size && { style: { blockSize: size.height * scale } })}>
      <iframe
        ref={frame}
        title={label}
        src="/console/frame"
        sandbox="allow-same-origin"
        {...(isPicture && { tabIndex: -1, 'aria-hidden': true, inert: true })}
        onLoad={prepare}
        className={`${style.frame} ${size ? '' : style.fit}`}
        {...(size && {
          width: size.width,
          style: { inlineSize: size.width, blockSize: size.height, transform: `scale(${scale})` },
        })}
      />
    </div>
  );
}

/** What to look at it on. */
export function DeviceChoice({
  value,
  onChange,
  hasFit = false,
}: {
  value: Device;
  onChange(device: Device): void;
  hasFit?: boolean;
}) {
  const words = useTexts(frameTexts);
  const ids: Device[] = [...(hasFit ? ['fit' as const] : []), 'desktop', 'tablet', 'phone'];
  return (
    <Segments
      label={words.device}
      choices={ids.map((id) => ({ id, text: words.devices[id] }))}
      value={value}
      onChange={onChange}
    />
  );
}
