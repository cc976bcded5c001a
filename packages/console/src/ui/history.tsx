import type { ReactNode } from 'react';
import { Button, LinkButton } from './button.tsx';
import style from './history.module.css';

/** Earlier states of something, newest first, each with a button that restores it. */
export function History({
  states,
}: {
  states: readonly {
    id: string;
    kind: ReactNode;
    title: ReactNode;
    detail: ReactNode;
    /** Link to a view of the state. `label` begins with `text`. */
    look?: { text: string; label: string; href: string } | undefined;
    /**
     * Restores the state. Missing for the current state and for members who may not restore. `label` begins with
     * `text`.
     */
    back?: { text: string; label: string; onPress(): void } | undefined;
  }[];
}) {
  return (
    <ol className={style.history}>
      {states.map(({ id, kind, title, detail, look, back }) => (
        <li key={id}>
          {kind}
          <span className={style.state}>
            {title}
            <small>{detail}</small>
          </span>
          {look && (
            <LinkButton size="small" aria-label={look.label} href={look.href}>
              {look.text}
            </LinkButton>
          )}
          {back && (
            <Button size="small" aria-label={back.label} onPress={back.onPress}>
              {back.text}
            </Button>
          )}
        </li>
      ))}
    </ol>
  );
}
