import { type ReactNode, Suspense } from 'react';
import { useCommon } from '../texts/common.ts';
import { type Language, language, languages, useLanguage } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Screen } from '../ui/layout.tsx';
import { Coming } from './problems.tsx';
import style from './shell.module.css';

/** The frame of the screens before sign-in: one card in the middle. */
export function SignInFrame({
  title,
  subtitle,
  intro,
  children,
}: {
  title: string;
  subtitle?: ReactNode;
  /** A short introduction of Waybill for first-time visitors. */
  intro?: string;
  children: ReactNode;
}) {
  const words = useCommon();
  const present = useLanguage();
  return (
    <div className={style.signInFrame}>
      <header className={style.signInHead}>
        <span className={style.logo}>{words.product}</span>
        <div>
          {Object.entries(languages)
            .filter(([id]) => id !== present)
            .map(([id, text]) => (
              <Button key={id} look="quiet" size="small" onPress={() => language.choose(id as Language)}>
                <span lang={id}>{text}</span>
              </Button>
            ))}
        </div>
      </header>
      {intro && (
        <section className={style.intro} aria-label={words.product}>
          <p>{intro}</p>
        </section>
      )}
      <main className={style.signInCard}>
        <Suspense fallback={<Coming />}>
          <Screen title={title} subtitle={subtitle} width="text">
            {children}
          </Screen>
        </Suspense>
      </main>
    </div>
  );
}
