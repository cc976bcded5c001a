import type { ReactNode } from 'react';
import style from './filters.module.css';

/** What narrows a list, above it: searches and selects side by side. */
export const Filters = ({ children }: { children: ReactNode }) => (
  <div className={style.filters}>{children}</div>
);
