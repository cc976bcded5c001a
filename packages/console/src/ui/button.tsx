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
 * Returns the props of the native button. A button that is disabled while it has the focus, such as "Save" after a
 * click, would lose the focus to the document body. It therefore stays focusable without reacting to presses until the
 * focus moves on.
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

const getClassNames = (look: Look, size: 'small' | 'medium'): string =>
  [style.button, style[look], ...(size === 'small' ? [style.small] : [])].join(' ');

/** A button. While `isPending`, it shows that it is busy, keeps its width and ignores presses. */
export function Button({ look = 'secondary', size = 'medium', children, ...props }: ButtonProps) {
  return (
    <AriaButton {...useHeld(props)} className={getClassNames(look, size)}>
      {children}
    </AriaButton>
  );
}

/** A button that shows only an icon; `label` is its accessible name. */
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

/** A link in the look of a button, for actions that navigate. */
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
    <AriaLink {...props} className={getClassNames(look, size)}>
      {children}
    </AriaLink>
  );
}

/** A link within text. The router handles links that stay in the console. */
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
