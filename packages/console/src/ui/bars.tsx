import { useState } from 'react';
import style from './bars.module.css';

/** A bar chart; `bad` is the failed part of a bar. Screen readers get the same data as a table. */
export function Bars({
  label,
  bars,
}: {
  label: string;
  bars: readonly { title: string; value: number; bad?: number; text: string }[];
}) {
  const [pointed, setPointed] = useState<number | null>(null);
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const shown = pointed === null ? null : bars[pointed];
  return (
    <figure className={style.figure}>
      <div className={style.bars} aria-hidden="true" onPointerLeave={() => setPointed(null)}>
        {bars.map(({ title, value, bad = 0 }, position) => (
          <span key={title} className={style.slot} onPointerEnter={() => setPointed(position)}>
            <svg viewBox="0 0 1 100" preserveAspectRatio="none" className={style.bar} aria-hidden="true">
              <rect x="0" width="1" y={100 - (value / most) * 100} height={(value / most) * 100} />
              {bad > 0 && (
                <rect
                  className={style.bad}
                  x="0"
                  width="1"
                  y={100 - (value / most) * 100}
                  height={(bad / most) * 100}
                />
              )}
            </svg>
          </span>
        ))}
      </div>
      <figcaption className={style.caption} aria-hidden="true">
        {shown ? (
          <span>
            {shown.title}: <strong>{shown.text}</strong>
          </span>
        ) : (
          <>
            <span>{bars[0]?.title}</span>
            <span>{bars.at(-1)?.title}</span>
          </>
        )}
      </figcaption>
      {/* Hidden through a `div`, because a table cannot be clipped to a height. */}
      <div className={style.hidden}>
        <table>
          <caption>{label}</caption>
          <tbody>
            {bars.map(({ title, text }) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                <td>{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
