import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Segments } from '../ui/segments.tsx';
import type { Drawn } from './draw.ts';
import style from './page-frame.module.css';
import { frameTexts } from './page-frame-texts.ts';

/** Viewports of the preview, in CSS pixels. `fit` takes the available width, for parts of a page. */
const devices = {
  desktop: { width: 1280, height: 800 },
  tablet: { width: 834, height: 1112 },
  phone: { width: 390, height: 844 },
  fit: null,
} as const;
export type Device = keyof typeof devices;

/** The first viewport of a preview: a phone on screens that are too narrow for a desktop page. */
export const firstDevice = (): Device => (innerWidth < devices.tablet.width ? 'phone' : 'desktop');

/**
 * Shows rendered HTML in a frame that runs no scripts. The frame has the device's true width, so that media queries
 * apply, and is scaled down to the available space.
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
  /** BCP 47 tag of the page's language. */
  lang?: string;
  device: Device;
  /** The frame is a picture only and takes no focus. */
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
    // The frame's policy allows no style elements.
    const sheet = new page.defaultView.CSSStyleSheet();
    sheet.replaceSync(css);
    page.adoptedStyleSheets = [sheet];
    page.body.innerHTML = html;
    page.documentElement.lang = lang ?? '';
  }, [loads, html, css, lang]);

  function prepare() {
    // A link must not lead away from the previewed page.
    for (const name of ['click', 'auxclick'])
      frame.current?.contentDocument?.addEventListener(name, (event) => event.preventDefault());
    setLoads((count) => count + 1);
  }
  const scale = size && width > 0 ? Math.min(1, width / size.width) : 1;
  return (
    <div ref={room} className={style.room} {...(size && { style: { blockSize: size.height * scale } })}>
      <iframe
        ref={frame}
        title={label}
        src="/console/frame"
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

/** Chooses the device of a preview. */
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
