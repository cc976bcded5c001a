import type { ReactNode } from 'react';

/** A place that the command dialog leads to. */
export interface Target {
  href: string;
  title: string;
  detail?: string;
  icon?: ReactNode;
}
