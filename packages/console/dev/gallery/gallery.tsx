import { type ReactNode, useEffect, useState } from 'react';
import { Screen } from '../../src/ui/layout.tsx';
import { Segments } from '../../src/ui/segments.tsx';
import { Toasts } from '../../src/ui/toasts.tsx';
import style from './gallery.module.css';
import type { Part } from './part.tsx';
import { parts } from './parts.ts';

const looks = [
  { id: 'system', text: 'System' },
  { id: 'light', text: 'Light' },
  { id: 'dark', text: 'Dark' },
  { id: 'both', text: 'Both' },
] as const;
type Look = (typeof looks)[number]['id'];

/** The address keeps the choice, so that a reload or a link shows the same. */
function useLook(): [Look, (look: Look) => void] {
  const [look, setLook] = useState<Look>(() => {
    const asked = new URLSearchParams(location.search).get('look');
    return looks.find(({ id }) => id === asked)?.id ?? 'system';
  });
  useEffect(() => {
    document.documentElement.dataset.look = look;
    history.replaceState(null, '', `?look=${look}${location.hash}`);
  }, [look]);
  return [look, setLook];
}

/** All parts of `src/ui` in their states. */
export function Gallery() {
  const [look, setLook] = useLook();
  return (
    <div className={style.page}>
      <Screen
        title="UI parts"
        subtitle={`The ${parts.length} component files of packages/console/src/ui in their states`}
        back={<a href="/console/">Console</a>}
        actions={<Segments label="Colour scheme" choices={looks} value={look} onChange={setLook} />}
      >
        <div className={style.columns}>
          <nav aria-label="Parts" className={style.nav}>
            {parts.map(([name, { title }]) => (
              <a key={name} href={`#${name}`}>
                {title}
              </a>
            ))}
          </nav>
          <main className={style.parts}>
            {parts.map(([name, part]) => (
              <PartSection key={name} name={name} part={part} look={look} />
            ))}
          </main>
        </div>
      </Screen>
      <Toasts />
    </div>
  );
}

function PartSection({ name, part, look }: { name: string; part: Part; look: Look }) {
  return (
    <section id={name} aria-labelledby={`${name}-title`} className={style.part}>
      <header>
        <h2 id={`${name}-title`}>{part.title}</h2>
        <p className={style.use}>
          {part.use} <code>ui/{name}.tsx</code>
        </p>
      </header>
      <div className={part.isWide ? style.wide : style.examples}>
        {Object.entries(part.examples).map(([state, example]) => (
          <Example key={state} state={state} look={look}>
            {example}
          </Example>
        ))}
      </div>
    </section>
  );
}

function Example({ state, look, children }: { state: string; look: Look; children: ReactNode }) {
  return (
    <figure className={style.example}>
      <figcaption>{state}</figcaption>
      {look === 'both' ? (
        <>
          <div className={`${style.stage} ${style.light}`}>{children}</div>
          <div className={`${style.stage} ${style.dark}`}>{children}</div>
        </>
      ) : (
        <div className={style.stage}>{children}</div>
      )}
    </figure>
  );
}
