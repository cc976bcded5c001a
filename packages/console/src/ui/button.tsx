import { type ReactNode, useState } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { Link as AriaLink, type LinkProps } from 'react-aria-components/Link';
import style from './button.module.css';
import { useIsSent } from './sent.ts';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger';

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'style'> {
  look?: Look;
  size?: 'small' | 'medium';
  children: ReactNode;
}

/**
 * What a button of the browser is given. One that is disabled under the focus, as "Save" is by its own deed, would lose
 * it to nothing: it keeps it, and does nothing, until the focus goes elsewhere.
 */
function useHeld(given: AriaButtonProps): AriaButtonProps {
  const [isFocused, setFocused] = useState(false);
  const isSent = useIsSent() && given.type !== 'submit';
  const props = isSent ? { ...given, isDisabled: true } : given;
  const isHeld = props.isDisabled && isFocused;
  const onFocusChange = (focused: boolean) => {
    setFocused(focused);
    props.onFocusChange?.(focused);
  };
  if (!isHeld) return { ...props, onFocusChange };
  const { onPress: _, isDisabled: __, ...rest } = props;
  return { ...rest, onFocusChange, type: 'button', 'aria-disabled': true };
}

/** A button; while `isPending` it says so, keeps its width and does nothing. */
export function Button({ look = 'secondary', size = 'medium', children, ...props }: ButtonProps) {
  return (
    <AriaButton {...useHeld(props)} className={`${style.button} ${style[look]} ${style[size]}`}>
      {children}
    </AriaButton>
  );
}

/** A button of one sign; `label` says what it does. */
export function IconButton({ label, children, ...props }: Omit<ButtonProps, 'look'> & { label: string }) {
  return (
    <AriaButton
      {...useHeld(props)}
      aria-label={label}
      className={`${style.button} ${style.quiet} ${style.icon}`}
    >
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
