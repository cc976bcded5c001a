import { createContext, useContext } from 'react';
import type { NumberFault } from './typed-number.ts';

/** The texts of our own controls, provided in the current language. */
export interface UiTexts {
  close: string;
  cancel: string;
  retry: string;
  save: string;
  unsaved: string;
  discard: string;
  discardTitle: string;
  discardHint: string;
  keepEditing: string;
  copy: string;
  copied: string;
  notCopied: string;
  dismiss: string;
  loading: string;
  previousPage: string;
  nextPage: string;
  selectAll: string;
  select: string;
  actions: string;
  notifications: string;
  drag(args: { thing: string }): string;
  dropFiles: string;
  moveItem(args: { name: string }): string;
  numberFaults: Record<Exclude<NumberFault, 'tooManyDecimals'>, string> & {
    tooManyDecimals(args: { decimals: number }): string;
  };
  atLeast(args: { number: string }): string;
  atMost(args: { number: string }): string;
}

const Context = createContext<UiTexts | null>(null);

export const UiTextsProvider = Context.Provider;

export function useUiTexts(): UiTexts {
  const texts = useContext(Context);
  if (!texts) throw new Error('There is no UiTextsProvider above.');
  return texts;
}
