import type { ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import english from '../../src/texts/en/common.ts';
import { bindCatalogue } from '../../src/texts/messages.ts';
import { UiTextsProvider } from '../../src/ui/texts.ts';

const words = bindCatalogue(english, 'en');

/** The providers that every part needs. */
export const Providers = ({ children }: { children: ReactNode }) => (
  <I18nProvider locale="en">
    <UiTextsProvider value={words}>{children}</UiTextsProvider>
  </I18nProvider>
);
