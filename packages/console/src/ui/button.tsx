import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { Link as AriaLink, type LinkProps } from 'react-aria-components/Link';
import style from './button.module.css';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger';

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'style'> {
  look?: Look;
  size?: 'small' | 'medium';
  children: ReactNode;
}

/** A button; while `isPending` it says so, keeps its width and does nothing. */
export function Button({ look = 'secondary', size = 'medium', children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={`${style.button} ${style[look]} ${style[size]}`}>
      {children}
    </AriaButton>
  );
}

/** A button of one sign; `label` says what it does. */
export function IconButton({ label, children, ...props }: Omit<ButtonProps, 'look'> & { label: string }) {
  return (
    <AriaButton {...props} aria-label={label} className={`${style.button} ${style.quiet} ${style.icon}`}>
      {children}
    </AriaButton>
  );
}

/** A link that looks as a button does: it leads somewhere. */
export function LinkButton({
  look = 'secondary',
  size = 'medium',
  children,
  ...props
}: Omit<LinkProps, 'children' | 'className' | 'style'> & {
  look?: Look;
  size?: 'small' | 'medium';
  children: ReactNode;
}) {
  return (
    <AriaLink {...props} className={`${style.button} ${style[look]} ${style[size]}`}>
      {children}
    </AriaLink>
  );
}

/** A link within a text; the router follows those within the console. */
export function TextLink({
  children,
  ...props
}: Omit<LinkProps, 'children' | 'className' | 'style'> & { children: ReactNode }) {
  return (
    <AriaLink {...props} className={style.link}>
      {children}
    </AriaLink>
  );
}
