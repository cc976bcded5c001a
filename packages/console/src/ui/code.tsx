import style from './code.module.css';
import { CopyButton } from './layout.tsx';

/** Verbatim text such as JSON, headers or a command. It scrolls by itself, by keyboard too. */
export function Code({ label, text }: { label: string; text: string }) {
  return (
    <figure className={style.code}>
      <figcaption className={style.head}>
        <span>{label}</span>
        <CopyButton text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <section aria-label={label} tabIndex={0} className={style.text}>
        <pre>{text}</pre>
      </section>
    </figure>
  );
}
