import type { ReactNode } from 'react';
import { Button, LinkButton } from './button.tsx';
import style from './history.module.css';

/** States that something has been in, newest first, each with the way back to it. */
export function History({
  states,
}: {
  states: readonly {
    id: string;
    kind: ReactNode;
    title: ReactNode;
    detail: ReactNode;
    /** Where it is seen as it was. `label` begins with `text`. */
    look?: { text: string; label: string; href: string } | undefined;
    /** Missing: it is the present one, or who looks may not. `label` begins with `text`. */
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
