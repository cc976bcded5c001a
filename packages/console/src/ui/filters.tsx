import type { ReactNode } from 'react';
import style from './filters.module.css';

/** A row of searches and selects above the list that they filter. */
export const Filters = ({ children }: { children: ReactNode }) => (
  <div className={style.filters}>{children}</div>
);
