import style from './code.module.css';
import { CopyButton } from './layout.tsx';

/** A text of a machine, as it is: JSON, headers, a command. It scrolls on its own, by keys too. */
export function Code({ label, text }: { label: string; text: string }) {
  return (
    <figure className={style.code}>
      <figcaption className={style.head}>
        <span>{label}</span>
        <CopyButton text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section aria-label={label} tabIndex={0} className={style.text}>
        <pre>{text}</pre>
      </section>
    </figure>
  );
}
