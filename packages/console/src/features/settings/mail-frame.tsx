import { useEffect, useRef, useState } from 'react';
import style from './mails.module.css';

/** Shows a mail in a frame that runs no scripts and follows no links. */
export function MailFrame({ label, html, lang }: { label: string; html: string; lang: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [loads, setLoads] = useState(0);
  useEffect(() => {
    const page = frame.current?.contentDocument;
    if (loads === 0 || !page) return;
    page.documentElement.innerHTML = html;
    page.documentElement.lang = lang;
  }, [loads, html, lang]);
  function prepare() {
    // A link must not lead away from the preview.
    frame.current?.contentDocument?.addEventListener('click', (event) => event.preventDefault());
    setLoads((count) => count + 1);
  }
  return (
    <iframe
      ref={frame}
      title={label}
      src="/console/mail-frame"
      sandbox="allow-same-origin"
      onLoad={prepare}
      className={style.frame}
    />
  );
}
