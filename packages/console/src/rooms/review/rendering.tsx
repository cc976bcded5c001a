import { useEffect, useRef, useState } from 'react';
import style from './review.module.css';

/**
 * A block as it looks, in a frame that runs nothing. The page's policy holds in it as well and lets no style element
 * in, so its style sheet is adopted.
 */
export function Rendering({ label, html, css }: { label: string; html: string; css: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [src, setSrc] = useState<string>();
  useEffect(() => {
    const url = URL.createObjectURL(
      new Blob([`<!doctype html><meta charset="utf-8"><title></title><body>${html}`], { type: 'text/html' }),
    );
    setSrc(url);
    return () => URL.revokeObjectURL(url);
  }, [html]);
  function adopt() {
    const shown = frame.current?.contentDocument;
    if (!shown?.defaultView || shown.URL === 'about:blank') return;
    const sheet = new shown.defaultView.CSSStyleSheet();
    sheet.replaceSync(`body { margin: 8px; font-family: system-ui, sans-serif; } ${css}`);
    shown.adoptedStyleSheets = [sheet];
  }
  return (
    <iframe
      ref={frame}
      title={label}
      {...(src && { src })}
      sandbox="allow-same-origin"
      onLoad={adopt}
      className={style.frame}
    />
  );
}
