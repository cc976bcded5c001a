import type { ReactNode } from 'react';

/** A destination in the command dialog. */
export interface Target {
  href: string;
  title: string;
  detail?: string;
  icon?: ReactNode;
}
