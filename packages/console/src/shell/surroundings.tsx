import type { ReactNode } from 'react';
// Imported from the internal file: the public entry would pull every component into the first chunk.
import { RouterProvider } from 'react-aria/private/utils/openLink';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { useReached } from '../api/reach.ts';
import { useCommon } from '../texts/common.ts';
import { useLanguage } from '../texts/texts.ts';
import { Notice } from '../ui/layout.tsx';
import { UiTextsProvider } from '../ui/texts.ts';
import { Toasts } from '../ui/toasts.tsx';
import style from './shell.module.css';

/** The providers and messages around every screen, signed in or not. `go` follows a link within the console. */
export function Surroundings({ go, children }: { go(href: string): void; children: ReactNode }) {
  const words = useCommon();
  const isReached = useReached();
  return (
    <I18nProvider locale={useLanguage()}>
      <RouterProvider navigate={go}>
        <UiTextsProvider value={words}>
          {!isReached && (
            <div className={style.offline} role="status">
              <Notice tone="warn">{words.offline}</Notice>
            </div>
          )}
          {children}
          <Toasts />
        </UiTextsProvider>
      </RouterProvider>
    </I18nProvider>
  );
}
